"""What the criteria of means have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array

__all__ = ["MeanCriterion"]

# Typed, so that a criterion may have some.
NO_ALIASES: tuple[str, ...] = ()


@dataclass(frozen=True)
class MeanCriterion:
    """Base of the criteria whose leaves predict means: scores of ``a = sum w y`` and ``b = sum w``.

    A criterion gives `name`, `loop`, `score`, `heterogeneity` and `row_loss`.
    """

    aliases = NO_ALIASES
    scale = 1.0
    sums = "two"
    targets = "numbers"
    predicts = "mean"
    is_variance = False
    non_negative = False
    unseen_is_infinite = False

    def statistics(self, y: Array, weight: Array) -> Array:
        """``(w y, w)``: the sums of these two numbers give the mean of a leaf."""
        return np.column_stack([weight * y, weight])

    def leaf(self, sums: Array) -> Array:
        """Return the weighted mean of the targets, which the criterion is least at."""
        return np.asarray(sums[..., :1] / np.maximum(sums[..., 1:], np.finfo(float).tiny))

    def score(self, sums: Array) -> Array:
        """Return minus the cost, but for terms that cancel."""
        raise NotImplementedError

    def heterogeneity(self, y: Array, weight: Array) -> float:
        """Return the mean loss of the mean."""
        raise NotImplementedError

    def row_loss(self, y: Array, value: Array) -> Array:
        """Return the loss of a predicted mean, which the mean of the rows makes smallest."""
        raise NotImplementedError

    def node_loss(self, value: Array, weight: Array, heterogeneity: Array) -> Array:
        """Return the weight times the heterogeneity that the loops measured."""
        return np.maximum(weight * heterogeneity, 0.0)
