"""Distances that are given: rows of X are rows of their matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.neighbors.metrics.base import PairMetric, plain
from empirisk.typing import Array

__all__ = ["PrecomputedDistances", "without_rounding"]


def without_rounding(X: Any, fitting: bool = False) -> Any:
    """Return given distances with 0 in the place of numbers that rounding left a little below it.

    What is no square in a fit is handed on to those who refuse it.

    Raises
    ------
    ValueError
        For a number further below 0 than 1e-8 of the largest distance, or 1e-5 of it in float32.

    Examples
    --------
    >>> without_rounding(np.array([[-2e-16, 1.0], [1.0, 0.0]]))
    array([[0., 1.],
           [1., 0.]])
    """
    if not isinstance(X, np.ndarray) or (fitting and X.shape[0] != X.shape[1]):
        return X
    if not (low := float(X.min(initial=0.0))) < 0.0:
        return X
    if -low > (1e-5 if X.dtype == np.float32 else 1e-8) * float(X.max(initial=0.0)):
        i, j = (int(v) for v in np.unravel_index(int(X.argmin()), X.shape))
        raise ValueError(
            f"distances are not negative, and X[{i}, {j}] is {X[i, j]:g}; where it should be 0 give "
            f"{'np.fill_diagonal(X, 0)' if i == j else 'X.clip(0)'}"
        )
    return X.clip(0)


@dataclass(frozen=True)
class PrecomputedDistances(PairMetric):
    """In a fit X is the (n, n) matrix of distances of the training rows, later (m, n)."""

    name = "precomputed"
    precomputed = True

    def check(self, X: Any, fitting: bool) -> None:
        """Refuse a matrix of training rows that is not square, negative distances, and sparse matrices."""
        if not isinstance(X, np.ndarray):
            raise TypeError(
                "metric='precomputed' takes a dense matrix of distances, and X is sparse: a cell that is not "
                "stored tells no distance; give X.toarray() if such distances are 0"
            )
        if fitting and X.shape[0] != X.shape[1]:
            raise ValueError(
                "with metric='precomputed' X is the matrix of distances of the training rows, (n, n); got "
                f"{X.shape[0]} x {X.shape[1]}"
            )
        values = np.asarray(X)
        if float(values.min(initial=0.0)) < 0.0:
            i, j = (int(v) for v in np.argwhere(values < 0.0)[0])
            raise ValueError(f"distances are not negative, and X[{i}, {j}] is {values[i, j]:g}")

    def distances(self, A: Any, B: Any) -> Array:
        """Return A itself: its columns are the training rows."""
        return plain(A)
