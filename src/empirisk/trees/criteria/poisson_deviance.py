"""The Poisson deviance: the criterion of trees that predict counts and rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from empirisk.trees.criteria.means import MeanCriterion
from empirisk.typing import Array

__all__ = ["PoissonDeviance"]


@dataclass(frozen=True)
class PoissonDeviance(MeanCriterion):
    """``h = 2 mean [y log(y / m) - y + m]`` with the mean m, for counts and rates ``y >= 0``.

    Examples
    --------
    >>> round(PoissonDeviance().heterogeneity(np.array([0.0, 2.0]), np.ones(2)), 6)
    1.386294
    """

    name = "poisson"
    loop = "poisson"
    non_negative = True

    def score(self, sums: Array) -> Array:
        """``2 a log(a / b)``: minus the cost, but for terms that cancel."""
        a, b = sums[..., 0], np.maximum(sums[..., 1], np.finfo(float).tiny)
        return np.asarray(2.0 * xlogy(a, np.maximum(a, 0.0) / b))

    def heterogeneity(self, y: Array, weight: Array) -> float:
        """Return the mean deviance of the mean."""
        mean = np.average(y, weights=weight)
        if mean == 0.0:
            return 0.0
        return float(2.0 * np.average(xlogy(y, y / mean) - y + mean, weights=weight))

    def row_loss(self, y: Array, value: Array) -> Array:
        """``2 (y log(y / m) - y + m)``: the deviance of a count y when a leaf predicts m."""
        mean = value[:, 0]
        return np.asarray(2.0 * (xlogy(y, y / mean) - y + mean))
