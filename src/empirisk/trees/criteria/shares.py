"""What the criteria of class shares have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array

__all__ = ["ClassCriterion"]

# Typed, so that a criterion may have some.
NO_ALIASES: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClassCriterion:
    """Base of the criteria that see the weights of K classes; targets are class codes.

    A criterion gives `name`, `loop`, `score` and `row_loss`.
    """

    n_classes: int = 2

    aliases = NO_ALIASES
    scale = 1.0
    sums = "classes"
    targets = "classes"
    predicts = "shares"
    is_variance = False
    non_negative = False
    unseen_is_infinite = False

    def statistics(self, y: Array, weight: Array) -> Array:
        """Return one column a class: the row's weight in the column of its class."""
        return np.where(y[:, None] == np.arange(self.n_classes), weight[:, None], 0.0)

    def leaf(self, sums: Array) -> Array:
        """Return the share of each class in the weight of the leaf."""
        return np.asarray(sums / np.maximum(sums.sum(axis=-1, keepdims=True), np.finfo(float).tiny))

    def score(self, sums: Array) -> Array:
        """Return minus the weight times the heterogeneity."""
        raise NotImplementedError

    def heterogeneity(self, y: Array, weight: Array) -> float:
        """``h`` of the class shares of the rows."""
        sums = self.statistics(y, weight).sum(axis=0)
        return float(-self.score(sums) / sums.sum())

    def row_loss(self, y: Array, value: Array) -> Array:
        """The slope of the cost in the weight of the row's class, at the predicted shares.

        The cost is homogeneous of degree 1, so that the mean over the rows of a leaf is its heterogeneity.
        """
        raise NotImplementedError

    def node_loss(self, value: Array, weight: Array, heterogeneity: Array) -> Array:
        """Return the weight times the heterogeneity of the shares."""
        return np.maximum(-self.score(weight[:, None] * value), 0.0)
