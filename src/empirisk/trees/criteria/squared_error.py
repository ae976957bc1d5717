"""The variance of the targets: the criterion of regression trees with the squared error.

Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), section 8.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.trees.criteria.means import MeanCriterion
from empirisk.typing import Array

__all__ = ["SquaredError"]


@dataclass(frozen=True)
class SquaredError(MeanCriterion):
    """``h = mean (y - mean y)^2``: the mean squared error of the mean.

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, section 8.3.

    Examples
    --------
    >>> SquaredError().heterogeneity(np.array([1.0, 3.0]), np.ones(2))
    1.0
    """

    name = "squared_error"
    loop = "squared_error"
    is_variance = True

    def score(self, sums: Array) -> Array:
        """``a^2 / b``: minus the cost, but for ``sum w y^2``, which cancels."""
        return np.asarray(sums[..., 0] ** 2 / np.maximum(sums[..., 1], np.finfo(float).tiny))

    def heterogeneity(self, y: Array, weight: Array) -> float:
        """Return the weighted variance of the targets, with divisor ``sum w``."""
        mean = np.average(y, weights=weight)
        return float(np.average((y - mean) ** 2, weights=weight))

    def row_loss(self, y: Array, value: Array) -> Array:
        """``(y - m)^2``: the squared error of the prediction m of a leaf."""
        return np.asarray((y - value[:, 0]) ** 2)
