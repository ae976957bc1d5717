"""A decision tree as a member of a class: how many trees there are of its size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scipy.special import gammaln

from empirisk.bounds import smallest_n
from empirisk.ladder.base import Problem
from empirisk.trees import Trees

__all__ = ["TreeShape", "tree_shape"]


@dataclass(frozen=True)
class TreeShape:
    """Binary trees with m cuts over p columns and K labels (0: numbers of 64 bits) at the leaves.

    `threshold_bits`: 32 where columns are compared as 32-bit numbers (scikit-learn), 64 in our trees.
    """

    cuts: int
    columns: int
    labels: int
    threshold_bits: int = 32

    @property
    def log_prior(self) -> float:
        """``-log`` of the prior ``1/((m+1)(m+2))`` of the number of cuts."""
        return math.log((self.cuts + 1.0) * (self.cuts + 2.0))

    @property
    def log_skeletons(self) -> float:
        """``log`` of the number of shapes (Catalan), columns to cut, and labels."""
        m = self.cuts
        catalan = float(gammaln(2.0 * m + 1.0) - gammaln(m + 1.0) - gammaln(m + 2.0))
        leaf = math.log(self.labels) if self.labels else 64.0 * math.log(2.0)
        return catalan + m * math.log(self.columns) + (m + 1.0) * leaf

    @property
    def nats(self) -> float:
        """Description length: the bits of each threshold, and 1 for the side of missing values."""
        return self.log_prior + self.log_skeletons + (self.threshold_bits + 1.0) * self.cuts * math.log(2.0)

    def vc_dimension(self) -> int:
        """Return an upper bound: the most points with ``2^n`` or fewer labellings by the growth function."""
        return (smallest_n(lambda n: self.log_growth(n) < n * math.log(2.0)) or 1) - 1

    def log_growth(self, n: int) -> float:
        """Return the growth function: each cut puts its threshold into one of n+1 gaps, missing values on one
        of two sides.
        """
        return self.log_skeletons + self.cuts * math.log(2.0 * (n + 1.0))


def tree_shape(problem: Problem) -> TreeShape | str:
    """Return the shape of the fitted tree, or why it is none."""
    tree: Any = getattr(problem.model, "tree_", None)
    if tree is None:
        return "the model is not a decision tree"
    if problem.features.fixed:
        return problem.features.fixed
    if problem.tuning.class_reason:
        return problem.tuning.class_reason
    ours = isinstance(tree, Trees)
    if ours and (tree.category_start >= 0).any():
        return "the tree asks for sets of categories, and the theorem counts thresholds"
    cuts = int((tree.feature >= 0).sum())
    labels = 0 if problem.classes is None else int(problem.classes.size)
    return TreeShape(cuts, int(problem.model.n_features_in_), labels, 64 if ours else 32)
