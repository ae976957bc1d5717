"""A k-d tree of rows, for distances that are roots of sums of powers of differences.

Bentley, Communications of the ACM 18 (1975); Friedman, Bentley and Finkel, ACM Transactions on
Mathematical Software 3 (1977).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.brief import Brief
from empirisk.data.memory import refuse_memory
from empirisk.neighbors.euclidean import by_number
from empirisk.neighbors.scales import Sizes
from empirisk.typing import Array, IndexArray

__all__ = ["RowTree"]

# Panels of eight rows in a leaf; searches take as long with 1 to 4 of them.
LEAF = 2


@dataclass(frozen=True, eq=False, repr=False)
class RowTree(Brief):
    """Boxes of rows within boxes; those that a bound shows to be too far are not searched.

    The bound of a box and the distances of its rows are sums of the same operations in the same order.
    Rounding is monotone, so that the rounded bound never exceeds a rounded distance: the answer has the bits
    that comparing with all rows gives.  (With other powers than 1, 2 and infinity, whose rounding is not
    monotone, the bound is lowered by more than rounding can do.)

    Parameters
    ----------
    X : ndarray, shape (n, p)
        The rows.
    whole : bool, default False
        Put all rows into one leaf: each query is compared with all.

    Notes
    -----
    The tree holds a copy of the rows: O(n log n) to build, in memory three copies.  A search takes
    O(log n) steps where rows fill few dimensions, and O(n p) at worst.

    Examples
    --------
    >>> RowTree(np.array([[0.0], [5.0], [2.0]])).nearest(np.array([[1.5]]), 2, 1.0)
    (array([[0.5, 1.5]]), array([[2, 0]]))
    """

    X: Array
    whole: bool = False
    sizes: Sizes = field(init=False)
    _tree: Any = field(init=False)

    def __post_init__(self) -> None:
        n = self.X.shape[0]
        advice = "take fewer rows, or algorithm='brute'"
        refuse_memory(f"a tree of {n:,} rows", 3.0 * self.X.nbytes + 32.0 * n, advice)
        object.__setattr__(self, "sizes", Sizes.of(self.X))
        object.__setattr__(self, "_tree", _loops.RowTree(self.X, n if self.whole else LEAF))

    def nearest(
        self, Q: Array, k: int, power: float, left_out: IndexArray | None = None
    ) -> tuple[Array, IndexArray]:
        """Return distances and numbers of the k nearest rows of each query, (m, k), by distance and number.

        Parameters
        ----------
        Q : array, shape (m, p), in the format of the rows
        k : int
        power : float >= 1
            Of the Minkowski distance.
        left_out : int array, shape (m,), optional
            A row that each query must not find.
        """
        absent = None if left_out is None else np.ascontiguousarray(left_out, dtype=np.int64)
        distance, index = self._tree.nearest(Q, k, power, absent)
        by_number(distance, index)
        return distance, index

    def within(self, Q: Array, radius: float, power: float) -> tuple[IndexArray, IndexArray, Array]:
        """Return all rows at a distance of at most `radius`, as ``(starts, rows, distances)``.

        Those of query i are ``rows[starts[i]:starts[i + 1]]``, by distance and then by number.
        """
        counts = self._tree.count_within(Q, radius, power)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        total = int(starts[-1])
        refuse_memory(f"{total:,} neighbours within {radius:g}", 16.0 * total, "take a smaller radius")
        rows, distance = self._tree.within(Q, radius, power, starts)
        return starts, rows, distance
