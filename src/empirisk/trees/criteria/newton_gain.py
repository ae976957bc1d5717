"""The decrease of a second-order model of a loss: the gain of boosting.

Friedman, Hastie and Tibshirani, Annals of Statistics 28 (2000); Chen and Guestrin, KDD (2016), section 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.trees.criteria.means import MeanCriterion
from empirisk.typing import Array

__all__ = ["NewtonGain"]


@dataclass(frozen=True)
class NewtonGain(MeanCriterion):
    """``score = a^2 / (b + l2)``, ``a = -sum w g``, ``b = sum w h``: twice the decrease of a quadratic model.

    With g, h the first and second derivatives of any loss at the current scores, the model of the total loss
    after adding v to the scores of a leaf is ``-a v + (b + l2) v^2 / 2 + const``; its minimiser is
    ``v = a / (b + l2)``.

    Parameters
    ----------
    l2 : float, default 0.0
        Penalty on the leaf values, on the scale of the sum of the row losses.

    References
    ----------
    Friedman, Hastie & Tibshirani 2000; Chen & Guestrin 2016, section 2.2.

    Examples
    --------
    >>> gain = NewtonGain(l2=1.0)
    >>> gain.leaf(np.array([6.0, 2.0])), float(gain.score(np.array([6.0, 2.0])))
    (array([2.]), 12.0)
    """

    l2: float = 0.0

    name = "newton"
    loop = "newton"
    targets = "derivatives"
    predicts = "step"

    def statistics(self, y: Array, weight: Array) -> Array:
        """``(-w g, w h)``; `y` holds g and h, shape (n, 2)."""
        return np.column_stack([-weight * y[:, 0], weight * y[:, 1]])

    def score(self, sums: Array) -> Array:
        """``a^2 / (b + l2)``: twice the decrease of the quadratic model at its minimum."""
        return np.asarray(sums[..., 0] ** 2 / np.maximum(sums[..., 1] + self.l2, np.finfo(float).tiny))

    def leaf(self, sums: Array) -> Array:
        """``a / (b + l2)``: the minimum of the quadratic model."""
        return np.asarray(sums[..., :1] / np.maximum(sums[..., 1:] + self.l2, np.finfo(float).tiny))

    def heterogeneity(self, y: Array, weight: Array) -> float:
        """Return minus the score per unit of weight."""
        return float(-self.score(self.statistics(y, weight).sum(axis=0)) / weight.sum())

    def row_loss(self, y: Array, value: Array) -> Array:
        """Return twice the change of the quadratic model, ``2 g v + h v^2``; `y` holds g and h, shape
        (n, 2).
        """
        return np.asarray(2.0 * y[:, 0] * value[:, 0] + y[:, 1] * value[:, 0] ** 2)
