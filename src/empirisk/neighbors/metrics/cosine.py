"""The cosine distance: one minus the cosine of the angle between rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from empirisk.neighbors.metrics.base import PairMetric, plain
from empirisk.typing import Array

__all__ = ["Cosine"]

# Numbers of rows that are made dense and float64 at a time.
CHECKED = 1 << 22


@dataclass(frozen=True)
class Cosine(PairMetric):
    """``1 - a.b / (||a|| ||b||)``, computed as half the squared distance of the rows on the unit sphere.

    Examples
    --------
    >>> Cosine().distances(np.array([[1.0, 0.0]]), np.array([[0.0, 2.0], [3.0, 0.0]]))
    array([[1., 0.]])
    """

    name = "cosine"

    def check(self, X: Any, fitting: bool) -> None:
        """Refuse rows of zeros, which have no direction."""
        step = max(1, CHECKED // max(1, X.shape[1]))
        some = [X[start : start + step] for start in range(0, X.shape[0], step)]
        zero = np.flatnonzero(np.concatenate([~plain(rows).any(axis=1) for rows in some]))
        if len(zero):
            raise ValueError(
                f"row {int(zero[0])} of X is zero and has no direction ({len(zero)} such rows in all): "
                "drop it, or take another metric than 'cosine'"
            )

    def distances(self, A: Any, B: Any) -> Array:
        """Return the distances of all pairs; equal rows are at a distance of 0."""
        # Products would lose angles below 1e-8, and their last bits depend on the threads of BLAS.
        return np.asarray(0.5 * cdist(_unit(A), _unit(B), "sqeuclidean"))


def _unit(X: Any) -> Array:
    rows = plain(X)
    rows = rows / np.abs(rows).max(axis=1, keepdims=True)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))
