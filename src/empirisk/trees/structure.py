"""One or many decision trees in flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from empirisk import _loops
from empirisk.data.brief import Brief
from empirisk.trees.unknown_categories import heavier_left, with_unknown
from empirisk.typing import Array, IndexArray

__all__ = ["Trees"]

PER_NODE = (
    "feature",
    "threshold",
    "left",
    "missing_left",
    "category_start",
    "value",
    "weight",
    "count",
    "gain",
    "heterogeneity",
)


@dataclass(frozen=True, eq=False, repr=False)
class Trees(Brief):
    """A sequence of binary trees: the nodes of all trees one after the other, in arrays that hold no code.

    A row x at an inner node with feature j goes to the left child if ``x[j] <= threshold`` (a number), or if
    bit ``x[j]`` of the node's category set is 1 (a category).  Missing values go left if ``missing_left``.
    Code c of a column of c categories means a category that training did not have: it goes with the child of
    the larger `weight` (ties: left).  The right child follows the left one: ``right = left + 1``.

    Parameters
    ----------
    start : array of int64, shape (T + 1,)
        Where each tree's nodes begin; node numbers within a tree begin at 0, the root.
    feature : array of int32, shape (N,)
        The column that an inner node asks; -1 at leaves.
    threshold : array, shape (N,)
        The cut of a numeric feature.
    left : array of int32, shape (N,)
        Number of the left child within the tree; -1 at leaves.
    missing_left : array of bool, shape (N,)
        Where missing values go: as learnt, or with the heavier child where training had none.
    category_start : array of int64, shape (N,)
        Offset of the node's category set in `category_words`; -1 for a numeric feature.
    category_words : array of uint32
        Sets of categories, ``ceil(c / 32)`` words each.
    value : array, shape (N, k)
        What a leaf predicts (inner nodes too: the prediction if the tree ended there).
    weight, count : array, shape (N,)
        Total weight and number of training rows.
    gain : array, shape (N,)
        Decrease of the total heterogeneity by the node's split.
    heterogeneity : array, shape (N,)
        Heterogeneity of the node per unit of weight.
    n_categories : array of int64, shape (p,)
        Number of categories of each column; 0 for a number.

    Examples
    --------
    >>> stump = Trees.stump(feature=0, threshold=1.5, values=[[1.0], [5.0]], n_features=1)
    >>> stump.predict(np.array([[1.0], [2.0]]))
    array([[1.],
           [5.]])
    """

    start: IndexArray
    feature: IndexArray
    threshold: Array
    left: IndexArray
    missing_left: NDArray[np.bool_]
    category_start: IndexArray
    category_words: NDArray[np.uint32]
    value: Array
    weight: Array
    count: IndexArray
    gain: Array
    heterogeneity: Array
    n_categories: IndexArray

    def __post_init__(self) -> None:
        for f in fields(self):
            array = getattr(self, f.name)
            if array.flags.writeable:
                array = array.view()
                array.flags.writeable = False
                object.__setattr__(self, f.name, array)

    # -- making them --------------------------------------------------------------------------------

    @classmethod
    def stump(cls, feature: int, threshold: float, values: Any, n_features: int) -> Trees:
        """Return a tree with one numeric cut and two leaves of weight 1."""
        value = np.asarray(values, dtype=np.float64)
        return cls(
            start=np.array([0, 3]),
            feature=np.array([feature, -1, -1], dtype=np.int32),
            threshold=np.array([threshold, 0.0, 0.0]),
            left=np.array([1, -1, -1], dtype=np.int32),
            missing_left=np.array([True, False, False]),
            category_start=np.full(3, -1),
            category_words=np.zeros(0, dtype=np.uint32),
            value=np.vstack([value.mean(axis=0), value]),
            weight=np.array([2.0, 1.0, 1.0]),
            count=np.array([2, 1, 1]),
            gain=np.zeros(3),
            heterogeneity=np.zeros(3),
            n_categories=np.zeros(n_features, dtype=np.int64),
        )

    @classmethod
    def concatenate(cls, parts: Iterable[Trees]) -> Trees:
        """Return the trees of all parts, in their order; the parts must have the same columns and outputs."""
        parts = list(parts)
        if not parts:
            raise ValueError("concatenate needs at least one Trees")
        first = parts[0]
        if any(not np.array_equal(p.n_categories, first.n_categories) for p in parts):
            raise ValueError("these trees were grown on different columns")
        words = np.cumsum([0, *(len(p.category_words) for p in parts)])
        sets = [
            np.where(p.category_start >= 0, p.category_start + shift, -1)
            for p, shift in zip(parts, words, strict=False)
        ]
        sizes = np.concatenate([np.diff(p.start) for p in parts])
        joined = {name: np.concatenate([getattr(p, name) for p in parts]) for name in PER_NODE}
        joined["category_start"] = np.concatenate(sets)
        return cls(
            start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            category_words=np.concatenate([p.category_words for p in parts]),
            n_categories=first.n_categories,
            **joined,
        )

    def with_values(self, value: Array) -> Trees:
        """Return the same trees with other predictions, shape (N, k)."""
        return replace(self, value=np.asarray(value, dtype=np.float64))

    def __getitem__(self, which: int | slice) -> Trees:
        if isinstance(which, slice):
            first, last, step = which.indices(len(self))
            if step != 1 or last <= first:
                return Trees.concatenate([self[t] for t in range(first, last, step)])
        else:
            first = range(len(self))[which]
            last = first + 1
        start = self.start[first : last + 1] - self.start[first]
        nodes = slice(int(self.start[first]), int(self.start[last]))
        part = {name: getattr(self, name)[nodes] for name in PER_NODE}
        category_start, category_words = part.pop("category_start"), self.category_words[:0]
        if (used := category_start >= 0).any():
            n_words = (self.n_categories[part["feature"][used]] + 31) // 32
            low = int(category_start[used].min())
            category_words = self.category_words[low : int((category_start[used] + n_words).max())]
            category_start = np.where(used, category_start - low, -1)
        return Trees(
            start=start,
            category_start=category_start,
            category_words=category_words,
            n_categories=self.n_categories,
            **part,
        )

    # -- what they are ------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.start) - 1

    def __iter__(self) -> Iterator[Trees]:
        return (self[t] for t in range(len(self)))

    def __repr__(self) -> str:
        return f"Trees({len(self)} trees, {len(self.feature)} nodes, {self.n_features} features)"

    @property
    def n_features(self) -> int:
        """Columns that the trees were grown on."""
        return len(self.n_categories)

    @property
    def n_outputs(self) -> int:
        """How many numbers a leaf predicts."""
        return int(self.value.shape[1])

    @cached_property
    def n_leaves(self) -> IndexArray:
        """Leaves of each tree, shape (T,)."""
        return np.add.reduceat((self.feature < 0).astype(np.int64), self.start[:-1])

    @cached_property
    def node_depth(self) -> IndexArray:
        """Edges from the root to each node, shape (N,)."""
        depth = np.zeros(len(self.feature), dtype=np.int32)
        roots = np.repeat(self.start[:-1], np.diff(self.start))
        layer = self.start[:-1]
        while len(layer):
            layer = layer[self.feature[layer] >= 0]
            child = roots[layer] + self.left[layer]
            depth[child] = depth[child + 1] = depth[layer] + 1
            layer = np.concatenate([child, child + 1])
        return depth

    @property
    def depth(self) -> IndexArray:
        """Edges on the longest path of each tree, shape (T,)."""
        return np.maximum.reduceat(self.node_depth, self.start[:-1])

    # -- what they do -------------------------------------------------------------------------------

    def goes_left(self, node: IndexArray, x: Array) -> NDArray[np.bool_]:
        """Return whether value ``x[i]`` goes left at node ``node[i]`` (numbers over all trees)."""
        left = x <= self.threshold[node]
        categorical = self.category_start[node] >= 0
        known = ~np.isnan(x)
        if categorical.any():
            c = self.n_categories[self.feature[node]]
            known &= ~categorical | ((x >= 0) & (x <= c))
            left[categorical] = heavier_left(self, node[categorical])
            at = np.flatnonzero(categorical & known & (x < c))
            code = x[at].astype(np.int64)
            word = self.category_words[self.category_start[node[at]] + code // 32]
            left[at] = (word >> (code % 32).astype(np.uint32)) & 1 == 1
        return np.where(known, left, self.missing_left[node])

    @cached_property
    def loop(self) -> _loops.TreeLoop:
        """The trees as the compiled loops read them; made on first use, not pickled."""
        category_start, category_words, n_categories = with_unknown(self)
        return _loops.TreeLoop(
            start=np.ascontiguousarray(self.start, dtype=np.int64),
            feature=np.ascontiguousarray(self.feature, dtype=np.int32),
            threshold=np.ascontiguousarray(self.threshold, dtype=np.float64),
            left=np.ascontiguousarray(self.left, dtype=np.int32),
            missing_left=np.ascontiguousarray(self.missing_left, dtype=bool),
            category_start=None if category_start is None else category_start.astype(np.int64, copy=False),
            category_words=np.ascontiguousarray(category_words, dtype=np.uint32),
            n_categories=np.ascontiguousarray(n_categories, dtype=np.int64),
        )

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def apply(self, X: Any) -> IndexArray:
        """Return the leaf of each row in each tree, numbered within the tree, shape (n, T)."""
        return self.loop.apply(self.rows(X))

    def predict(self, X: Any, tree_weight: Array | None = None) -> Array:
        """Return the sum over trees of the values of the leaves, shape (n, k); each tree times its weight.

        The order of the sum is that of the trees, for any number of threads.
        """
        value = np.ascontiguousarray(self.value, dtype=np.float64)
        return self.loop.predict(self.rows(X), value, tree_weight)

    def decision_path(self, X: Any) -> sp.csr_array:
        """Return the nodes that each row passes, shape (n, N), CSR of ones."""
        leaf = self.apply(X)
        parent = np.full(len(self.feature), -1)
        roots = np.repeat(self.start[:-1], np.diff(self.start))
        inner = np.flatnonzero(self.feature >= 0)
        child = roots[inner] + self.left[inner]
        parent[child] = parent[child + 1] = inner
        node = (leaf + self.start[:-1]).ravel()
        rows = np.repeat(np.arange(len(leaf)), len(self))
        found: list[tuple[IndexArray, IndexArray]] = []
        while len(node):
            found.append((rows, node))
            node = parent[node]
            rows, node = rows[node >= 0], node[node >= 0]
        row, column = (np.concatenate(parts) for parts in zip(*found, strict=True))
        shape = (len(leaf), len(self.feature))
        path = sp.csr_array((np.ones(len(row), dtype=np.int64), (row, column)), shape=shape)
        path.sort_indices()
        return path

    def rows(self, X: Any) -> Any:
        """Return the rows as the loops take them: dense or CSR, float64 or float32, the columns of the
        trees.
        """
        sparse = sp.issparse(X)
        X = X.tocsr() if sparse else np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise ValueError(
                f"X has shape {X.shape}; the trees were grown on {self.n_features} columns, so give (n, "
                f"{self.n_features})"
            )
        return X if X.dtype in (np.float64, np.float32) else X.astype(np.float64)
