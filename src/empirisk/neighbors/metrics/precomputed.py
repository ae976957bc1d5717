"""Distances that are given: rows of X are rows of their matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.neighbors.metrics.base import PairMetric, plain
from empirisk.typing import Array

__all__ = ["PrecomputedDistances"]


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
