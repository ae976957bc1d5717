"""The rate of errors of the majority.

Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), section 4.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.trees.criteria.shares import ClassCriterion
from empirisk.typing import Array

__all__ = ["Misclassification"]


@dataclass(frozen=True)
class Misclassification(ClassCriterion):
    """``h = 1 - max_k p_k``: not strictly concave, hence often blind to useful cuts; meant for pruning.

    Parameters
    ----------
    n_classes : int, default 2
        K.

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, section 4.1.

    Examples
    --------
    >>> Misclassification().heterogeneity(np.array([0, 0, 0, 1]), np.ones(4))
    0.25
    """

    name = "misclassification"
    loop = "misclassification"

    def score(self, sums: Array) -> Array:
        """``max_k s_k - s``, s_k the weight of class k: minus the weight of the rows that the majority gets
        wrong.
        """
        return np.asarray(sums.max(axis=-1) - sums.sum(axis=-1))

    def row_loss(self, y: Array, value: Array) -> Array:
        """1 for an error of the majority, else 0."""
        return np.asarray(value.argmax(axis=1) != y, dtype=np.float64)

    def node_loss(self, value: Array, weight: Array, heterogeneity: Array) -> Array:
        """``w - w max_k p_k``: the weight of the rows of a node that its majority gets wrong."""
        lost = _whole(weight - _whole(weight * value.max(axis=1), weight), weight)
        return np.maximum(lost, 0.0)


def _whole(mass: Array, weight: Array) -> Array:
    """Return the counts that went through a division become whole again, so that ties stay ties."""
    near = np.rint(mass)
    return np.where(np.abs(mass - near) <= 1e-9 * np.maximum(weight, 1e-300), near, mass)
