"""The rows that are searched, and the exact searches: the nearest k rows, and all rows within a radius."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.brief import Brief
from empirisk.data.memory import available_memory, refuse_memory
from empirisk.neighbors.euclidean import nearest_euclidean
from empirisk.neighbors.metrics import Metric
from empirisk.neighbors.row_tree import RowTree
from empirisk.neighbors.scales import Sizes, alike
from empirisk.neighbors.tiles import pair_distances
from empirisk.neighbors.tree_pilot import MOST_SEEN, share_seen
from empirisk.neighbors.tree_rule import tree_pays, worth_a_pilot
from empirisk.typing import Array, IndexArray

__all__ = ["ALGORITHMS", "Index"]

# How rows are searched: by the measured rule, by comparing with all, or in a tree.
ALGORITHMS = ("auto", "brute", "kd_tree")
# Entries of a block of distances that is made in Python: 32 MiB.
BLOCK = 1 << 22
# Queries that are asked to tell how many neighbours all will have.
PILOT = 64


@dataclass(frozen=True, eq=False, repr=False)
class Index(Brief):
    """Rows that are searched exactly, by comparing each query with all of them or in a tree of boxes.

    Parameters
    ----------
    X : ndarray or CSR, shape (n, p)
        The rows; with precomputed distances their matrix, of which only the number of rows matters.
    metric : Metric
    algorithm : {"auto", "brute", "kd_tree"}, default "auto"
        There are trees for dense rows and Minkowski distances; else ``"kd_tree"``, too, compares with all,
        and the claim says so.  ``"auto"`` takes what is expected to be sooner by the measured rule of
        :func:`empirisk.neighbors.tree_rule.tree_pays`, which counts the queries of all searches; long
        searches in many columns try a tree on some rows.  The answers have the same bits.

    Notes
    -----
    A comparison with all is O(n p) a query: Euclidean distances by compiled tiles on all threads, and no
    matrix of distances is stored; sparse rows and metrics that are no Minkowski distances make blocks of
    32 MiB.  A tree is built by the first search that pays for it, and is no part of a pickle.
    """

    X: Any
    metric: Metric
    algorithm: str = "auto"
    _trees: dict[tuple[str, bool], RowTree] = field(default_factory=dict, init=False, repr=False)
    _asked: list[int] = field(default_factory=lambda: [0], init=False, repr=False)
    _shares: dict[int, float] = field(default_factory=dict, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_trees": {}, "_asked": [0], "_shares": {}}

    @property
    def n_rows(self) -> int:
        """The number of rows that are searched."""
        return int(self.X.shape[0])

    @property
    def claim(self) -> str:
        """A sentence that says why what is found is exact."""
        how = (
            "every query is compared with all of them"
            if self.algorithm == "brute" or not self._has_tree
            else "a query is compared with all of them but those in boxes that a bound shows to be farther"
        )
        return (
            f"the nearest of {self.n_rows:,} rows are found exactly: {how}, "
            "ties are sorted by the number of the row"
        )

    def nearest(self, Q: Any, k: int, left_out: IndexArray | None = None) -> tuple[Array, IndexArray]:
        """Return distances and numbers of the k nearest rows of each query, (m, k), the nearest first.

        Equal distances are sorted by the number of the row: the answer is one, whatever the threads.

        Parameters
        ----------
        Q : array or CSR, shape (m, p)
        k : int
        left_out : int array, shape (m,), optional
            A row that each query must not find: itself, when training rows ask.

        Raises
        ------
        ValueError
            When there are not k rows.
        """
        others = self.n_rows - (left_out is not None)
        if not 1 <= k <= others:
            what = "other training rows" if left_out is not None else "training rows"
            raise ValueError(f"n_neighbors = {k} asks for more rows than there are: {others} {what}")
        m = int(Q.shape[0])
        refuse_memory(f"{k:,} neighbours of each of {m:,} rows", 32.0 * m * k, "ask for fewer neighbours")
        power = self.metric.power
        branches = self._wants_tree(k, Q.shape[0])
        if power is not None and (branches or power != 2.0):
            tree, queries = self._tree(Q, power, not branches)
            if tree is not None:
                return tree.nearest(queries, k, power, left_out)
        if power == 2.0:
            return nearest_euclidean(self.X, Q, k, left_out)
        distance, index = np.empty((Q.shape[0], k)), np.empty((Q.shape[0], k), dtype=np.int64)
        for start, block in self._blocks(Q):
            rows = slice(start, start + len(block))
            if left_out is not None:
                block[np.arange(len(block)), left_out[rows]] = np.inf
            distance[rows], index[rows] = _smallest(block, k)
        return distance, index

    def within(self, Q: Any, radius: float) -> tuple[IndexArray, IndexArray, Array]:
        """Return all rows at a distance of at most `radius`, as ``(starts, rows, distances)``.

        Those of query i are ``rows[starts[i]:starts[i + 1]]``, by distance and then by number.
        """
        self._forecast_within(Q, radius)
        if self.metric.power is not None:
            tree, queries = self._tree(Q, self.metric.power, self.algorithm == "brute")
            if tree is not None:
                return tree.within(queries, radius, self.metric.power)
        starts, rows, found = [0], [np.empty(0, dtype=np.int64)], [np.empty(0)]
        total = 0
        for _, block in self._blocks(Q):
            for line in block:
                near = np.flatnonzero(line <= radius)
                order = near[np.argsort(line[near], kind="stable")]
                total += len(order)
                starts.append(total)
                rows.append(order)
                found.append(line[order])
            refuse_memory(f"{total:,} neighbours within {radius:g}", 16.0 * total, "take a smaller radius")
        return np.array(starts, dtype=np.int64), np.concatenate(rows), np.concatenate(found)

    def _forecast_within(self, Q: Any, radius: float) -> None:
        """Refuse a radius with more neighbours than memory holds, by what some of the queries find.

        Only where the memory would not hold all pairs of rows are these asked.
        """
        m, free = int(Q.shape[0]), available_memory()
        if m <= PILOT or free is None or 32.0 * m * self.n_rows <= free * 1e9:
            return
        some = self.within(Q[np.linspace(0, m - 1, PILOT).astype(np.intp)], radius)
        total = m * float(some[0][-1]) / PILOT
        refuse_memory(
            f"about {total:,.0f} neighbours within {radius:g}", 32.0 * total, "take a smaller radius"
        )

    def within_others(self, radius: float) -> tuple[IndexArray, IndexArray, Array]:
        """Return all rows within the radius of each of the rows themselves, as :meth:`within`, without it."""
        starts, rows, distance = self.within(self.X, radius)
        asking = np.repeat(np.arange(self.n_rows), np.diff(starts))
        other = asking != rows
        counts = np.bincount(asking[other], minlength=self.n_rows)
        return np.concatenate([[0], np.cumsum(counts)]), rows[other], distance[other]

    @property
    def _has_tree(self) -> bool:
        """Whether there is a tree for such rows and this metric."""
        return self.metric.power is not None and not sp.issparse(self.X)

    def _wants_tree(self, k: int, queries: int) -> bool:
        """Return whether so many more queries for k rows go to a tree with branches."""
        power = self.metric.power
        if power is None or not self._has_tree or self.algorithm == "brute":
            return False
        self._asked[0] += queries
        (n, p), asked = self.X.shape, self._asked[0]
        if self.algorithm == "kd_tree" or tree_pays(n, p, k, asked, power):
            return True
        if not worth_a_pilot(n, p, k, asked):
            return False
        if k not in self._shares:
            self._shares[k] = share_seen(self.X, k, power)
        return self._shares[k] <= MOST_SEEN

    def _tree(self, Q: Any, power: float, whole: bool) -> tuple[RowTree | None, Any]:
        """Return a tree of the rows and the queries in its format, or None where numbers are too large or
        too small for plain sums of powers.
        """
        if not self._has_tree or sp.issparse(Q):
            return None, Q
        X, Q = alike(self.X, Q)
        if not Sizes.of(Q).tame(power):
            return None, Q
        kept = (X.dtype.name, whole)
        if kept not in self._trees:
            self._trees[kept] = RowTree(X, whole)
        tree = self._trees[kept]
        return (tree if tree.sizes.tame(power) else None), Q

    def _blocks(self, Q: Any) -> Iterator[tuple[int, Array]]:
        """Yield the first query and the distances of each block of queries."""
        step = max(1, BLOCK // max(self.n_rows, 1))
        for start in range(0, Q.shape[0], step):
            yield start, np.array(pair_distances(self.metric, Q[start : start + step], self.X))


def _smallest(block: Array, k: int) -> tuple[Array, IndexArray]:
    """Return the k smallest of each line and their places; of equal ones the first."""
    if k < block.shape[1]:
        kth = np.partition(block, k - 1, axis=1)[:, k - 1]
        out = np.empty((len(block), k), dtype=np.int64)
        for i, line in enumerate(block):
            near = np.flatnonzero(line <= kth[i])
            out[i] = near[np.argsort(line[near], kind="stable")][:k]
    else:
        out = np.argsort(block, axis=1, kind="stable").astype(np.int64)
    return np.take_along_axis(block, out, axis=1), out
