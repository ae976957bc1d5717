"""A metric from a function of the user's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from empirisk.neighbors.metrics.base import PairMetric, plain
from empirisk.typing import Array

__all__ = ["UserMetric"]

PAIRS = 6  # rows that are tried with each other
ROUNDING = 1e-8  # of the largest distance, that a function of two rows may be off by


@dataclass(frozen=True)
class UserMetric(PairMetric):
    """``function(a, b)`` of two rows, called for every pair with copies of them.

    Examples
    --------
    >>> UserMetric(lambda a, b: abs(a[0] - b[0])).distances(np.array([[1.0]]), np.array([[3.0]]))
    array([[2.]])
    """

    function: Callable[[Array, Array], float]
    name = "user"

    def check(self, X: Any, fitting: bool) -> None:
        """Refuse a function that is no distance on a few pairs of rows: unlike both ways, or from itself."""
        n = X.shape[0]
        chosen = np.unique(np.linspace(0, n - 1, min(n, PAIRS)).astype(np.intp)) if fitting else np.empty(0)
        if not len(chosen):
            return
        apart = self.distances(X[chosen], X[chosen])
        spare = ROUNDING * apart.max()
        itself = np.flatnonzero(np.diagonal(apart) > spare)
        if len(itself):
            row = chosen[itself[0]]
            raise ValueError(
                f"metric(a, a) must be 0, and it is {apart[itself[0], itself[0]]:g} for row {row}: give a "
                "function of two rows that says how far they are apart"
            )
        off = np.abs(apart - apart.T)
        if off.max() > spare:
            a, b = (int(v) for v in np.unravel_index(int(off.argmax()), off.shape))
            i, j = chosen[a], chosen[b]
            raise ValueError(
                f"metric(a, b) must be metric(b, a), and it is {apart[a, b]:g} for rows {i} and {j} while it "
                f"is {apart[b, a]:g} for rows {j} and {i}; take the mean of both, say"
            )

    def distances(self, A: Any, B: Any) -> Array:
        """Return what the function says of all pairs; refused where that is no distance."""
        out = np.asarray(cdist(plain(A), plain(B), lambda a, b: self.function(a.copy(), b.copy())))
        if not (np.isfinite(out) & (out >= 0.0)).all():
            i, j = (int(v) for v in np.argwhere(~(np.isfinite(out) & (out >= 0.0)))[0])
            raise ValueError(
                f"metric(a, b) must be a finite number >= 0, got {out[i, j]!r} for rows {i} and {j}"
            )
        return out
