"""The Minkowski distances: roots of sums of powers of differences; Euclid, Manhattan and Chebyshev among
them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from empirisk.neighbors.metrics.base import PairMetric, plain
from empirisk.typing import Array

__all__ = ["Chebyshev", "Euclidean", "Manhattan", "Minkowski"]


@dataclass(frozen=True)
class Minkowski(PairMetric):
    """``(sum_j |a_j - b_j|^p)^(1/p)``.

    Parameters
    ----------
    p : float >= 1, default 2
        1 is the Manhattan distance, 2 the Euclidean, infinity the largest difference.

    Examples
    --------
    >>> Minkowski(1.0).distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[7.]])
    """

    p: float = 2.0
    name = "minkowski"

    def __post_init__(self) -> None:
        if not self.p >= 1.0:
            raise ValueError(f"p of the Minkowski distance must be a number >= 1, got {self.p!r}")

    @property
    def power(self) -> float:  # type: ignore[override]
        """The exponent p, by which compiled searches know it."""
        return self.p

    def distances(self, A: Any, B: Any) -> Array:
        """Return the distances of all pairs, from differences."""
        if self.p == 2.0:
            return np.asarray(cdist(plain(A), plain(B)))
        if self.p == 1.0:
            return np.asarray(cdist(plain(A), plain(B), "cityblock"))
        if math.isinf(self.p):
            return np.asarray(cdist(plain(A), plain(B), "chebyshev"))
        return np.asarray(cdist(plain(A), plain(B), "minkowski", p=self.p))


@dataclass(frozen=True)
class Euclidean(Minkowski):
    """The length of the straight line between the rows, ``sqrt(sum_j (a_j - b_j)^2)``."""

    p: ClassVar[float] = 2.0  # type: ignore[misc]
    name = "euclidean"


@dataclass(frozen=True)
class Manhattan(Minkowski):
    """The sum of the differences, ``sum_j |a_j - b_j|``."""

    p: ClassVar[float] = 1.0  # type: ignore[misc]
    name = "manhattan"


@dataclass(frozen=True)
class Chebyshev(Minkowski):
    """The largest of the differences, ``max_j |a_j - b_j|``."""

    p: ClassVar[float] = math.inf  # type: ignore[misc]
    name = "chebyshev"
