"""The mean absolute deviation from the median.

Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), section 8.11.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.trees.criteria.means import MeanCriterion
from empirisk.typing import Array

__all__ = ["AbsoluteError"]


@dataclass(frozen=True)
class AbsoluteError(MeanCriterion):
    """``h = mean |y - median y|``; no function of sums over rows: the loops keep the targets in order.

    The median is the middle of the interval of weighted medians.

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, section 8.11.

    Examples
    --------
    >>> AbsoluteError().heterogeneity(np.array([0.0, 1.0, 5.0]), np.ones(3))
    1.6666666666666667
    """

    name = "absolute_error"
    loop = "absolute_error"
    sums = "order"
    predicts = "median"

    def statistics(self, y: Array, weight: Array) -> Array:
        """``(y, w)``, of which no sums are taken."""
        return np.column_stack([y, weight])

    def score(self, sums: Array) -> Array:
        """Refuse, because a median is no function of sums."""
        raise TypeError("the absolute error has no score of sums; see heterogeneity")

    def leaf(self, sums: Array) -> Array:
        """Refuse, because a median is no function of sums; :meth:`median` takes the rows."""
        raise TypeError("the absolute error has no leaf of sums; see median")

    @staticmethod
    def median(y: Array, weight: Array) -> float:
        """Return the middle of the interval that minimises ``sum w |y - m|`` over m."""
        order = np.argsort(y, kind="stable")
        y, total = y[order], np.cumsum(weight[order])
        half = 0.5 * total[-1]
        low = int(np.searchsorted(total, half, side="left"))
        high = int(np.searchsorted(total, half, side="right"))
        return float(0.5 * (y[low] + y[min(high, len(y) - 1)]))

    def heterogeneity(self, y: Array, weight: Array) -> float:
        """Return the mean absolute deviation from the median."""
        return float(np.average(np.abs(y - self.median(y, weight)), weights=weight))

    def row_loss(self, y: Array, value: Array) -> Array:
        """``|y - m|``: the absolute error of the prediction m of a leaf."""
        return np.abs(y - value[:, 0])
