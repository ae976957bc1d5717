"""The rows of a fit, kept up to a size, so that questions about them need no arguments."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.design import Design
from empirisk.typing import Array

__all__ = ["KEPT_BYTES", "Kept", "keep", "release", "stored_bytes"]

# The most that a fitted estimator keeps of its X (and as much again of y and weights): 32 MiB.
KEPT_BYTES = 2**25


@dataclass(frozen=True, eq=False)
class Kept:
    """Columns, encoded targets and weights of the rows of a fit.

    Parameters
    ----------
    design : Design or None
        The columns, up to :data:`KEPT_BYTES`.
    given : weakref or None
        What the user passed as X, where the columns are larger and a weak reference exists.
    targets, weight : array
        Copies; empty when larger than the limit.
    moments : tuple of two arrays or None
        Mean and mean square deviation of each column at the fit, to see whether X was changed since.
    """

    design: Design | None
    given: Any
    targets: Array
    weight: Array
    moments: tuple[Array, Array] | None

    def columns(self, checked: Callable[[Any], Any]) -> Design | None:
        """Return the columns, or None where they are gone; `checked` validates what the user passed."""
        if self.design is not None or self.given is None or not len(self.weight):
            return self.design
        X = self.given()
        return None if X is None else Design(checked(X))

    def changed(self, now: tuple[Array, Array]) -> bool:
        """Return whether the moments of the columns are no longer those of the fit, beyond rounding."""
        if self.moments is None:
            return False
        (mean, variance), (mean_now, variance_now) = self.moments, now
        size = 1e-9 * (np.abs(mean) + np.sqrt(variance))
        same = np.abs(mean - mean_now) <= size
        near = np.abs(variance - variance_now) <= 1e-9 * (variance + mean * mean)
        return not bool(np.all(same & near))


def keep(X: Any, design: Design, targets: Array, weight: Array, moments: Any = None) -> Kept:
    """Return what a fit on these rows keeps of them.

    Columns of at most :data:`KEPT_BYTES` are kept alive as they are: no copy, but of slices of larger arrays,
    so that these are not kept alive with them.  Of larger ones a weak reference to `X` is kept.

    Parameters
    ----------
    X : Any
        What was passed to ``fit``.
    design : Design
        Its columns.
    targets, weight : array
        Encoded targets and weights.
    moments : tuple of two arrays, optional
        Of the columns.
    """
    small = targets.nbytes + weight.nbytes <= KEPT_BYTES
    y, s = (np.array(targets), np.array(weight)) if small else (targets[:0], weight[:0])
    if small and stored_bytes(design.X) <= KEPT_BYTES:
        return Kept(Design(_own(design.X)), None, y, s, moments)
    try:
        given = weakref.ref(X)
    except TypeError:  # a list
        given = None
    return Kept(None, given, y, s, moments)


def release(model: Any) -> Any:
    """Return the model without its rows: as members of an ensemble models would keep a copy each."""
    if getattr(model, "_training", None) is not None:
        model._training = None
    settle = getattr(model, "_settle", None)  # what was to be computed from the rows when it is asked for
    if settle is not None:
        settle()
    for _, step in getattr(model, "steps", None) or ():
        release(step)
    return model


def stored_bytes(X: Any) -> int:
    """Return what a dense array, or a CSR or CSC matrix, holds."""
    parts = ("data", "indices", "indptr") if sp.issparse(X) else ("",)
    return sum(int((getattr(X, name) if name else X).nbytes) for name in parts)


def _own(X: Any) -> Any:
    """Return X, or a copy where it is a part of something larger than the limit."""
    if sp.issparse(X):
        return X
    root = X
    while isinstance(root, np.ndarray) and root.base is not None:
        root = root.base
    whole = root.nbytes if isinstance(root, np.ndarray) and not isinstance(root, np.memmap) else None
    return X if whole is not None and whole <= max(KEPT_BYTES, 2 * X.nbytes) else X.copy(order="K")
