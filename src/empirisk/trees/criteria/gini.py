"""Gini's index: the chance that two rows drawn from a leaf differ in class.

Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), section 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.trees.criteria.shares import ClassCriterion
from empirisk.typing import Array

__all__ = ["Gini"]


@dataclass(frozen=True)
class Gini(ClassCriterion):
    """``h = 1 - sum_k p_k^2``: the chance that two rows drawn at random differ in class.

    Parameters
    ----------
    n_classes : int, default 2
        K.

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, section 4.3.

    Examples
    --------
    >>> Gini().heterogeneity(np.array([0, 0, 0, 1]), np.ones(4))
    0.375
    """

    name = "gini"
    loop = "gini"

    def score(self, sums: Array) -> Array:
        """``sum_k s_k^2 / s - s``, s_k the weight of class k: minus the weight times Gini's index."""
        total = sums.sum(axis=-1)
        return np.asarray((sums**2).sum(axis=-1) / np.maximum(total, np.finfo(float).tiny) - total)

    def row_loss(self, y: Array, value: Array) -> Array:
        """``sum_k (p_k - 1[k = y])^2``: the Brier score of the class shares p of a leaf."""
        own = value[np.arange(len(y)), y.astype(np.intp)]
        return np.asarray((value**2).sum(axis=1) - 2.0 * own + 1.0)

    def node_loss(self, value: Array, weight: Array, heterogeneity: Array) -> Array:
        """``w (1 - sum_k p_k^2)``: the summed Brier score of the rows of a node of weight w."""
        return np.asarray(np.maximum(weight * (1.0 - (value**2).sum(axis=1)), 0.0))
