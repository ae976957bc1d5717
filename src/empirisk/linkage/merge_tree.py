"""A tree of merges: its cuts into clusters, and the heights at which two rows meet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import cophenet, leaves_list, maxdists

from empirisk import _loops
from empirisk.data.brief import Brief
from empirisk.data.memory import refuse_memory
from empirisk.typing import Array, IndexArray

__all__ = ["MergeTree"]


@dataclass(frozen=True, eq=False, repr=False)
class MergeTree(Brief):
    """The merges of n leaves in their order, as SciPy's linkage matrix.

    Parameters
    ----------
    matrix : array, shape (n - 1, 4)
        For each merge the two clusters, the smaller number first, the height and the number of leaves;
        numbers below n are leaves, ``n + k`` is what merge k made.

    Examples
    --------
    >>> tree = MergeTree(np.array([[0.0, 2.0, 1.0, 2.0], [1.0, 3.0, 4.0, 3.0]]))
    >>> tree.clusters(2)
    array([0, 1, 0])
    >>> tree.below(0.5)
    array([0, 1, 2])
    """

    matrix: Array

    @property
    def n(self) -> int:
        """The number of leaves, one more than there are merges."""
        return len(self.matrix) + 1

    @property
    def heights(self) -> Array:
        """The heights of the merges, which fall at an inversion."""
        return np.asarray(self.matrix[:, 2])

    @property
    def inversions(self) -> int:
        """How many merges are lower than the one before them."""
        return int(np.sum(np.diff(self.heights) < 0.0))

    def clusters(self, k: int) -> IndexArray:
        """Return the clusters that the first ``n - k`` merges leave, one number a leaf, by first leaf."""
        kept = np.zeros(self.n - 1, dtype=bool)
        kept[: self.n - k] = True
        return np.asarray(_loops.cut_tree(self.matrix, kept), dtype=np.intp)

    def below(self, height: float) -> IndexArray:
        """Return the cluster of each leaf when all merges are done that hold none above `height` inside.

        Where heights fall, a merge counts as high as the highest one inside it, as in SciPy's ``fcluster``.
        """
        if self.n == 1:
            return np.zeros(1, dtype=np.intp)
        kept = maxdists(np.asarray(self.matrix, dtype=np.float64)) <= height
        return np.asarray(_loops.cut_tree(self.matrix, kept), dtype=np.intp)

    def members(self, node: int) -> IndexArray:
        """Return the leaves of a cluster by its number, in rising order."""
        out, stack = [], [node]
        while stack:
            at = stack.pop()
            if at < self.n:
                out.append(at)
            else:
                stack.extend(int(c) for c in self.matrix[at - self.n, :2])
        return np.sort(np.array(out, dtype=np.intp))

    def order(self) -> IndexArray:
        """Return the leaves from left to right, so that no lines of a dendrogram cross."""
        if self.n == 1:
            return np.zeros(1, dtype=np.intp)
        return np.asarray(leaves_list(np.asarray(self.matrix, dtype=np.float64)), dtype=np.intp)

    def cophenetic(self) -> Array:
        """Return the height at which each pair of leaves meets, (n (n - 1) / 2,), ordered as by ``pdist``."""
        pairs = self.n * (self.n - 1) / 2
        refuse_memory(f"the heights at which {pairs:,.0f} pairs meet", 16.0 * pairs, "take fewer rows")
        return np.asarray(cophenet(np.asarray(self.matrix, dtype=np.float64)))
