"""The class that boosted members come from: trees with a fixed number of cuts, and their labellings."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from empirisk.bounds import smallest_n
from empirisk.estimators.trees.adaboost import AdaBoostClassifier
from empirisk.ladder.base import Problem

__all__ = ["BoostedClass", "boosted_class"]


@dataclass(frozen=True)
class BoostedClass:
    """Trees with at most `cuts` cuts and labels -1, 1; missing values on either side of each cut.

    `categories` holds the number of categories of each column, 0 for a number.
    """

    cuts: int
    categories: tuple[int, ...]

    def log_growth(self, n: int) -> float:
        """``2 n`` sides of a number or fewer, ``2^c`` of c categories; labels of leaves; shapes (Catalan)."""
        sides = [math.log(2.0 * n) if c == 0 else min(c, n) * math.log(2.0) for c in self.categories]
        m = self.cuts
        shapes = float(gammaln(2.0 * m + 1.0) - gammaln(m + 1.0) - gammaln(m + 2.0))
        total = shapes + m * float(np.logaddexp.reduce(sides)) + (m + 1.0) * math.log(2.0)
        return min(total, n * math.log(2.0))

    def vc_dimension(self) -> int:
        """Return an upper bound: the most points with as many labellings as there are."""
        return (smallest_n(lambda n: self.log_growth(n) < n * math.log(2.0)) or 1) - 1

    @property
    def words(self) -> str:
        """What sentences call the members of the vote."""
        return "stumps" if self.cuts == 1 else f"trees with at most {self.cuts} cuts"


def boosted_class(problem: Problem) -> BoostedClass | str:
    """Return the class of the members of a boosted vote of two classes, or why there is none."""
    model = problem.model
    if not isinstance(model, AdaBoostClassifier):
        return "the model is no vote of boosted classifiers"
    if not problem.two_classes:
        return "the theorem is about two classes"
    if not hasattr(model, "trees_"):
        return "the class of the members is known for trees only"
    if problem.features.fixed:
        return problem.features.fixed
    if problem.tuning.class_reason:
        return problem.tuning.class_reason
    return BoostedClass(2**model.max_depth - 1, tuple(int(c) for c in model.trees_.n_categories))
