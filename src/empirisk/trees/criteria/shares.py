"""What the criteria of class shares have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array

__all__ = ["ClassCriterion"]


@dataclass(frozen=True)
class ClassCriterion:
    """Base of the criteria that see the weights of K classes; targets are class codes."""

    n_classes: int = 2

    sums = "classes"

    def statistics(self, y: Array, weight: Array) -> Array:
        """One column a class: the row's weight in the column of its class."""
        return np.where(y[:, None] == np.arange(self.n_classes), weight[:, None], 0.0)

    def leaf(self, sums: Array) -> Array:
        """Class shares."""
        return np.asarray(sums / np.maximum(sums.sum(axis=-1, keepdims=True), np.finfo(float).tiny))

    def score(self, sums: Array) -> Array:
        """Minus the weight times the heterogeneity."""
        raise NotImplementedError

    def heterogeneity(self, y: Array, weight: Array) -> float:
        """``h`` of the class shares of the rows."""
        sums = self.statistics(y, weight).sum(axis=0)
        return float(-self.score(sums) / sums.sum())
