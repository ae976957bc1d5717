"""The Hamming distance: the share of columns in which rows differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from empirisk.neighbors.metrics.base import PairMetric, plain
from empirisk.typing import Array

__all__ = ["Hamming"]


@dataclass(frozen=True)
class Hamming(PairMetric):
    """``(1/p) sum_j [a_j != b_j]``: the share of the columns in which the rows differ.

    Examples
    --------
    >>> Hamming().distances(np.array([[1.0, 2.0]]), np.array([[1.0, 3.0]]))
    array([[0.5]])
    """

    name = "hamming"

    def distances(self, A: Any, B: Any) -> Array:
        """Return the share of differing columns for all pairs."""
        return np.asarray(cdist(plain(A), plain(B), "hamming"))
