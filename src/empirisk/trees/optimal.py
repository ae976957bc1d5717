"""The best tree of a small depth, over all of its cuts at once.

Demirovic and others, Journal of Machine Learning Research 23 (2022).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk import _loops
from empirisk.trees.structure import Trees
from empirisk.typing import Array, IndexArray

__all__ = ["OptimalTree", "cut_groups", "optimal_tree"]


@dataclass(frozen=True, eq=False)
class OptimalTree:
    """A tree, what it costs, and what the best one costs at least.

    Parameters
    ----------
    tree : Trees
        Leaves hold class shares or means.
    cost : float
        Weight of the errors, or weighted sum of squares, + penalty x leaves.
    bound : float
        No tree of the depth costs less; equals `cost` when the search went to its end.
    binned : bool
        Whether only some of the cuts were candidates.
    """

    tree: Trees
    cost: float
    bound: float
    binned: bool


def optimal_tree(
    X: Array,
    y: Array,
    weight: Array,
    depth: int,
    *,
    n_classes: int = 0,
    leaf_penalty: float = 0.0,
    max_cuts: int | None = None,
    seconds: float = 60.0,
) -> OptimalTree:
    """Minimise ``cost(T) + leaf_penalty |leaves of T|`` over all trees of axis-parallel cuts of this depth.

    Parameters
    ----------
    X : array, shape (n, p)
        Numbers without missing values.
    y : array, shape (n,)
        Class codes, or numbers.
    weight : array, shape (n,)
        Positive.
    depth : int
        Edges from the root, at most 7; 2 and 3 are quick.
    n_classes : int, default 0
        K: the cost is the weight of the rows that their leaf's majority misses.  0: the weighted sum of
        squares.
    leaf_penalty : float, default 0.0
        Price of a leaf, on the scale of the cost.
    max_cuts : int, optional
        At most so many candidate cuts a column, between groups of about equal weight.
    seconds : float, default 60.0
        The search stops then; `bound` says what it knows.

    Notes
    -----
    The least cost of a set of rows never rises when rows leave it.  Between two cuts of one column the left
    sides are nested, and so are the right sides: the left cost at the lower cut plus the right cost at the
    upper one bounds all cuts between them, and intervals whose bound is above the best tree are passed over.
    The innermost two levels are solved for all columns in one pass over the sorted rows, O(n p) for each cut
    looked at.

    References
    ----------
    E. Demirovic et al., "MurTree: optimal decision trees via dynamic programming and search", JMLR 23 (2022).
    R. Mazumder, X. Meng, H. Wang, "Quant-BnB: a scalable branch-and-bound method for optimal decision trees
    with continuous features", ICML 2022.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> found = optimal_tree(X, np.array([0.0, 1.0, 1.0, 0.0]), np.ones(4), 2, n_classes=2)
    >>> found.cost, found.bound, found.tree.n_leaves
    (0.0, 0.0, array([4]))
    """
    columns = [cut_groups(X[:, j], weight, max_cuts) for j in range(X.shape[1])]
    rank = np.ascontiguousarray([ranks for ranks, _, _ in columns], dtype=np.int32)
    label = y.astype(np.int32) if n_classes else None
    centred = None if n_classes else np.ascontiguousarray(y - np.average(y, weights=weight))
    cost, bound, column, low, high = _loops.optimal_tree(
        rank,
        label,
        centred,
        np.ascontiguousarray(weight, dtype=np.float64),
        n_classes,
        leaf_penalty,
        depth,
        seconds,
    )
    threshold = [
        _between(columns[j][2][a], columns[j][1][b]) if j >= 0 else 0.0
        for j, a, b in zip(column, low, high, strict=True)
    ]
    tree = _measured(np.array(column), np.array(threshold), X, y, weight, n_classes)
    fewer = any(len(first) < len(np.unique(X[:, j])) for j, (_, first, _) in enumerate(columns))
    return OptimalTree(tree, cost, bound, fewer)


def cut_groups(x: Array, weight: Array, max_cuts: int | None) -> tuple[IndexArray, Array, Array]:
    """Return the group of each row's value, and the smallest and largest value of each group."""
    values, rank = np.unique(x, return_inverse=True)
    if max_cuts is None or len(values) <= max_cuts + 1:
        return rank, values, values
    mass = np.cumsum(np.bincount(rank, weights=weight))
    group = np.minimum((mass - 0.5 * np.diff(mass, prepend=0.0)) / mass[-1] * (max_cuts + 1), max_cuts)
    _, group = np.unique(group.astype(np.int64), return_inverse=True)
    first = np.flatnonzero(np.diff(group, prepend=-1))
    return group[rank], values[first], values[np.append(first[1:], len(values)) - 1]


def _between(low: float, high: float) -> float:
    """Return the middle of a gap, or the lower number where there is none between."""
    middle = 0.5 * low + 0.5 * high
    return float(middle) if low <= middle < high else float(low)


def _measured(column: IndexArray, threshold: Array, X: Array, y: Array, weight: Array, k: int) -> Trees:
    """Return the cuts of the heap as a tree, with what its nodes hold."""
    # (place in the heap, rows); children are appended in pairs.
    nodes: list[tuple[int, NDArray[np.intp]]] = [(0, np.arange(len(y)))]
    feature, left = [], []
    for place, rows in nodes:
        j = int(column[place]) if place < len(column) else -1
        feature.append(j)
        left.append(len(nodes) if j >= 0 else -1)
        if j >= 0:
            below = X[rows, j] <= threshold[place]
            nodes += [(2 * place + 1, rows[below]), (2 * place + 2, rows[~below])]
    n = len(nodes)
    value = np.zeros((n, k or 1))
    mass, cost = np.zeros(n), np.zeros(n)
    for t, (_, rows) in enumerate(nodes):
        w = weight[rows]
        mass[t] = w.sum()
        if k:
            value[t] = np.bincount(y[rows].astype(int), w, k) / mass[t]
            cost[t] = mass[t] * (1.0 - value[t].max())
        else:
            value[t, 0] = np.average(y[rows], weights=w)
            cost[t] = w @ (y[rows] - value[t, 0]) ** 2
    first, inner = np.array(left), np.array(feature) >= 0
    gain, heavier = np.zeros(n), np.zeros(n, dtype=bool)
    gain[inner] = np.maximum(cost[inner] - cost[first[inner]] - cost[first[inner] + 1], 0.0)
    heavier[inner] = mass[first[inner]] >= mass[first[inner] + 1]
    return Trees(
        start=np.array([0, n]),
        feature=np.array(feature, dtype=np.int32),
        threshold=np.array(
            [threshold[p] if j >= 0 else 0.0 for (p, _), j in zip(nodes, feature, strict=True)]
        ),
        left=np.array(left, dtype=np.int32),
        missing_left=heavier,
        category_start=np.full(n, -1),
        category_words=np.zeros(0, dtype=np.uint32),
        value=value,
        weight=mass,
        count=np.array([len(rows) for _, rows in nodes]),
        gain=gain,
        heterogeneity=cost / mass,
        n_categories=np.zeros(X.shape[1], dtype=np.int64),
    )
