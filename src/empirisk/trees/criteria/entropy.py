"""Shannon's entropy: a leaf is as uncertain as a draw from its class shares.

Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), section 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from empirisk.trees.criteria.shares import ClassCriterion
from empirisk.typing import Array

__all__ = ["Entropy"]


@dataclass(frozen=True)
class Entropy(ClassCriterion):
    """``h = -sum_k p_k log p_k`` in nats: the log-loss of the class shares.

    Parameters
    ----------
    n_classes : int, default 2
        K.

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, section 4.3; Quinlan 1986.

    Examples
    --------
    >>> import numpy as np
    >>> round(Entropy().heterogeneity(np.array([0, 0, 1, 1]), np.ones(4)), 6)
    0.693147
    """

    name = "entropy"
    loop = "entropy"
    aliases = ("log_loss",)
    unseen_is_infinite = True

    def score(self, sums: Array) -> Array:
        """``sum_k s_k log(s_k / s)``, s_k the weight of class k: minus the weight times the entropy."""
        total = sums.sum(axis=-1)
        return np.asarray(xlogy(sums, sums).sum(axis=-1) - xlogy(total, total))

    def row_loss(self, y: Array, value: Array) -> Array:
        """``-log p_y``: the log-loss of the class shares p of a leaf."""
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log(value[np.arange(len(y)), y.astype(np.intp)]))

    def node_loss(self, value: Array, weight: Array, heterogeneity: Array) -> Array:
        """``-w sum_k p_k log p_k``: the summed log-loss of the rows of a node of weight w."""
        return np.asarray(np.maximum(-weight * xlogy(value, value).sum(axis=1), 0.0))
