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


@dataclass(frozen=True)
class UserMetric(PairMetric):
    """``function(a, b)`` of two rows, called for every pair.

    Examples
    --------
    >>> UserMetric(lambda a, b: abs(a[0] - b[0])).distances(np.array([[1.0]]), np.array([[3.0]]))
    array([[2.]])
    """

    function: Callable[[Array, Array], float]
    name = "user"

    def distances(self, A: Any, B: Any) -> Array:
        """Return what the function says of all pairs; refused where that is no distance."""
        out = np.asarray(cdist(plain(A), plain(B), self.function))
        if not (np.isfinite(out) & (out >= 0.0)).all():
            i, j = (int(v) for v in np.argwhere(~(np.isfinite(out) & (out >= 0.0)))[0])
            raise ValueError(
                f"metric(a, b) must be a finite number >= 0, got {out[i, j]!r} for rows {i} and {j}"
            )
        return out
