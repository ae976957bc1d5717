"""Average predictions of any model, and those of refits on resampled training rows: the bootstrap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from empirisk.data.progress import teller
from empirisk.data.seeds import Seed, generator_of
from empirisk.evaluation.outputs import n_rows
from empirisk.evaluation.rows import take_rows
from empirisk.typing import Array

__all__ = ["Predictions", "refitted"]

MOST_FAILED = 0.1  # a tenth of the refits without an answer is no longer chance


class Predictions:
    """What a fitted model predicts, averaged: means of regressions, probabilities of classes.

    Parameters
    ----------
    model : fitted estimator
        With ``predict_proba``, or a ``predict`` that gives numbers.
    rows : mapping
        Offset and exposure of the rows, for ``predict``.
    classes : array, optional
        Order of the classes of the answer; those of the model by default.
    """

    def __init__(self, model: Any, rows: Mapping[str, Any], classes: Any = None) -> None:
        self.model, self.rows = model, rows
        self.proba = is_classifier(model) and hasattr(model, "predict_proba")
        self.classes = np.asarray(getattr(model, "classes_", []) if classes is None else classes)
        self.outputs = [str(c) for c in self.classes] if self.proba else [""]
        if self.proba and len(self.outputs) == 2:
            self.outputs = self.outputs[1:]

    def averages(self, X: Any, shares: Array) -> Array:
        """Return averages (G, K) of the predictions for X by the shares (G, n)."""
        if not self.proba:
            found = np.asarray(self.model.predict(X, **self.rows))
            if found.dtype.kind not in "fiub" or is_classifier(self.model):
                raise ValueError(
                    f"{type(self.model).__name__} predicts labels without probabilities: there is nothing "
                    "to average; use a classifier with predict_proba"
                )
            if found.ndim > 1 and found.shape[1] > 1:
                raise ValueError("margins are about one target: fit one target at a time")
            return np.asarray(shares @ found.reshape(len(found), 1).astype(np.float64))
        found = np.asarray(self.model.predict_proba(X, **self.rows), dtype=np.float64)
        whole = np.zeros((len(found), len(self.classes)))
        # A class that a resample did not have has the probability 0 there.
        whole[:, np.searchsorted(self.classes, self.model.classes_)] = found
        return np.asarray(shares @ (whole[:, 1:] if whole.shape[1] == 2 else whole))


def refitted(
    model: Any,
    training: Mapping[str, Any],
    groups: Any,
    n_boot: int,
    random_state: Seed,
    answer: Callable[[Any], Array],
) -> tuple[Array, int]:
    """Return what `answer` says of a clone of the model fitted on each resample, and how many fits failed.

    Parameters
    ----------
    model : estimator
    training : mapping
        Rows of the fit, by the names of the parameters of ``fit``.
    groups : array or None
        Groups that are drawn whole; rows otherwise.
    n_boot : int
        Number of resamples.
    random_state : int, Generator, RandomState or None
    answer : callable
        From a fitted model to an array.

    Raises
    ------
    ValueError
        When more than a tenth of the fits fail, with the reason of the last one.
    """
    X, n = training["X"], n_rows(training["X"])
    rest = {name: np.asarray(v) for name, v in training.items() if name != "X" and v is not None}
    short = [name for name, v in rest.items() if len(v) != n]
    if short:
        raise ValueError(f"training: {short[0]} has {len(rest[short[0]])} entries, but X has {n} rows")
    units = _units(groups, n)
    rng = generator_of(random_state)
    found, failed, why = [], 0, ""
    tell = teller(None)
    for done in range(n_boot):
        tell(done, n_boot)
        rows = np.concatenate([units[k] for k in rng.integers(0, len(units), len(units))])
        part = {name: v[rows] for name, v in rest.items()}
        try:
            found.append(answer(clone(model).fit(take_rows(X, rows), **part)))
        except ValueError as error:  # a resample with one class, say
            failed, why = failed + 1, str(error)
    tell(n_boot, n_boot)
    if failed > MOST_FAILED * n_boot:
        raise ValueError(f"{failed} of {n_boot} refits on resampled rows failed; the last one said: {why}")
    return np.stack(found), failed


def _units(groups: Any, n: int) -> list[np.ndarray]:
    """Return the rows of each unit that is drawn whole."""
    if groups is None:
        return list(np.arange(n)[:, None])
    given = np.asarray(groups)
    if given.shape != (n,):
        raise ValueError(f"groups must have one entry per row of training, shape ({n},), got {given.shape}")
    _, code = np.unique(given.astype(str) if given.dtype.kind == "O" else given, return_inverse=True)
    return [np.flatnonzero(code == k) for k in range(int(code.max()) + 1)]
