"""New rows for which targets are predicted: looked at as the model that was sampled does."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data import Design
from empirisk.data.finite import check_finite
from empirisk.data.sparse_cells import canonical, is_sparse
from empirisk.typing import Array

__all__ = ["known_part", "new_rows", "refuse_no_mean"]


def new_rows(X: Any, columns: int, model: Any = None) -> Design:
    """Return rows as a design; other names, shapes and cells that are not finite are refused.

    Parameters
    ----------
    X : array, sparse matrix or frame, shape (rows, columns)
    columns : int
    model : fitted estimator, optional
        Which knows the names of its columns; without one they are told by their places.
    """
    if model is not None and not np.iscomplexobj(X):
        return Design(model._design(X))
    X = canonical(X) if is_sparse(X) else np.asarray(X)
    if X.dtype.kind not in "iufb" or X.ndim != 2 or X.shape[1] != columns:
        raise ValueError(
            f"X must be an array of real numbers with {columns} columns, those of the rows that were "
            f"sampled, got shape {X.shape} of {X.dtype}"
        )
    design = Design(X.astype(np.float64))
    check_finite(design)
    return design


def known_part(offset: Any, n: int) -> Array:
    """Return the known part of the scores of n rows; what is no finite number is refused by its row."""
    known = np.asarray(offset)
    if known.dtype.kind not in "iufb" or known.shape != (n,):
        raise ValueError(
            f"offset must have shape ({n},), one real number a row, got {known.shape} of {known.dtype}"
        )
    if not np.isfinite(known).all():
        row = int(np.argmin(np.isfinite(known)))
        raise ValueError(f"offset must be finite, got {known[row]:g} in row {row}")
    return known.astype(np.float64)


def refuse_no_mean(means: Array) -> None:
    """Refuse means of targets (chains, draws, rows, ...) that are no finite numbers, by their row.

    Examples
    --------
    >>> refuse_no_mean(np.array([[[1.0, np.inf]]]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: the expected target of row 1 is beyond the largest number under 100 % of the draws, ...
    """
    if np.isfinite(means).all():
        return
    lost = np.asarray(~np.isfinite(means).reshape(*means.shape[:3], -1).all(axis=3))
    row = int(np.flatnonzero(lost.any(axis=(0, 1)))[0])
    raise ValueError(
        f"the expected target of row {row} is beyond the largest number under "
        f"{100.0 * float(lost[:, :, row].mean()):.3g} % of the draws, so that no target can be drawn: give "
        "rows like those of the fit, in the same units"
    )
