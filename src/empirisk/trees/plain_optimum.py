"""A lower bound on the cost of all small trees, by plain NumPy: a second road to the search for the best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array, IndexArray

__all__ = ["PlainOptimum"]

# What a call costs besides the numbers that it reads, in numbers.
CALL = 500


@dataclass
class PlainOptimum:
    """No tree of a depth costs less than ``least(rows, depth, upper)``, or not less than `upper`.

    The cost of a leaf is the weight that its majority misses, or its sum of squares, + `penalty`.  Rows that
    leave a set never raise the least cost of a tree on it, so that of the cuts of one column between two
    others none costs less than the left side of the lower one and the right side of the upper one.

    Parameters
    ----------
    rank : array of int, shape (n, p)
        Groups of the values of each column, in their order; cuts are between groups.
    sums : array, shape (n, K) or (n, 3)
        What the rows add to a node: weights by class, or ``w, w y, w y^2``.
    classes : bool
        Which of the two.
    penalty : float
        Price of a leaf.
    budget : float
        Numbers to read; when they are used up, the bound is what is known by then.

    Examples
    --------
    >>> rank = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> search = PlainOptimum(rank, np.eye(2)[[0, 1, 1, 0]], True, 0.0, 1e6)
    >>> float(search.least(np.arange(4), 1, 4.0)), float(search.least(np.arange(4), 2, 4.0))
    (2.0, 0.0)
    """

    rank: IndexArray
    sums: Array
    classes: bool
    penalty: float
    budget: float

    @property
    def spent(self) -> bool:
        """Whether the budget is used up."""
        return self.budget <= 0.0

    def cost(self, sums: Array) -> Array:
        """Return the cost of leaves whose rows have these sums: errors, or the sum of squares around the
        mean.
        """
        if self.classes:
            return np.asarray(sums.sum(axis=-1) - sums.max(axis=-1))
        w, first, second = sums[..., 0], sums[..., 1], sums[..., 2]
        return np.asarray(np.maximum(second - first**2 / w, 0.0))

    def least(self, rows: IndexArray, depth: int, upper: float) -> float:
        """Return a lower bound on ``min(upper, the least cost of a tree of this depth on these rows)``."""
        self.budget -= len(rows) * self.rank.shape[1] + CALL
        best = min(upper, float(self.cost(self.sums[rows].sum(axis=0))) + self.penalty)
        if depth == 0 or best <= 2.0 * self.penalty:
            return best
        if depth == 1:
            return min(best, self._one_cut(rows))
        rest = np.inf
        slack = 1e-13 * best
        for j in range(self.rank.shape[1]):
            group = self.rank[rows, j]
            ends = np.unique(group)[:-1]
            waiting = [(0, len(ends) - 1, self.penalty, self.penalty)]
            while waiting:
                low, high, left_least, right_least = waiting.pop()
                if low > high or left_least + right_least >= best - slack:
                    continue
                if self.spent:
                    rest = min(rest, left_least + right_least)
                    continue
                middle = (low + high) // 2
                below = group <= ends[middle]
                left = max(left_least, self.least(rows[below], depth - 1, best - right_least))
                right = right_least
                if left + right < best - slack:
                    right = max(right, self.least(rows[~below], depth - 1, best - left))
                best = min(best, left + right)
                waiting += [(low, middle - 1, left_least, right), (middle + 1, high, left, right_least)]
        return min(best, rest)

    def _one_cut(self, rows: IndexArray) -> float:
        """Return the least cost with one cut, over all columns."""
        sums, total = self.sums[rows], self.sums[rows].sum(axis=0)
        least = np.inf
        for j in range(self.rank.shape[1]):
            order = np.argsort(self.rank[rows, j], kind="stable")
            cut = np.flatnonzero(np.diff(self.rank[rows[order], j]))
            if len(cut):
                left = np.cumsum(sums[order], axis=0)[cut]
                least = min(least, float((self.cost(left) + self.cost(total - left)).min()))
        return least + 2.0 * self.penalty
