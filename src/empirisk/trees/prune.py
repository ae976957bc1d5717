"""Cost-complexity pruning: the nested sequence of subtrees, cut at the weakest link.

Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), section 3.3.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.tabular import Tabular
from empirisk.trees.structure import PER_NODE, Trees
from empirisk.typing import Array, IndexArray

__all__ = ["PruningSequence", "node_parents", "weakest_link"]

SHOWN = 10  # subtrees in the table of a notebook
# Strengths that differ by less, relative to the risk of the root, are equal: their nodes fall together.
SAME = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class PruningSequence(Tabular):
    """All subtrees ``T(alpha) = argmin R(T) + alpha |leaves of T|``; of equal ones the smallest.

    Entry k is the subtree for every alpha in ``[alpha[k], alpha[k + 1])``; the last one is the root.

    Parameters
    ----------
    tree : Trees
        One tree, as grown.
    low, high : arrays, shape (N,)
        Node t is a leaf of ``T(alpha)`` where ``low[t] <= alpha < high[t]``, and no node of it where
        ``alpha >= high[t]``.
    alpha, n_leaves, risk : arrays, shape (K,)
        Least strength, number of leaves and mean training loss of each subtree.
    """

    tree: Trees
    low: Array
    high: Array
    alpha: Array
    n_leaves: IndexArray
    risk: Array

    @property
    def title(self) -> str:
        """How many subtrees there are, and from how many leaves they go down."""
        return f"{len(self.alpha)} nested subtrees, from {self.n_leaves[0]} leaves to 1"

    def _columns(self) -> dict[str, list[Any]]:
        return {name: getattr(self, name).tolist() for name in ("alpha", "n_leaves", "risk")}

    def _shown(self) -> dict[str, list[Any]]:
        rows = np.unique(np.linspace(0, len(self.alpha) - 1, min(SHOWN, len(self.alpha))).round().astype(int))
        return {name: getattr(self, name)[rows].tolist() for name in ("alpha", "n_leaves", "risk")}

    def _notes(self) -> list[str]:
        more = len(self.alpha) - SHOWN
        return [f"... and {more} more; .to_frame() holds them all."] if more > 0 else []

    def __repr__(self) -> str:
        return f"PruningSequence({self.title})"

    def at(self, alpha: float) -> int:
        """Return which entry the strength alpha chooses."""
        return int(np.searchsorted(self.alpha, alpha, side="right")) - 1

    def with_leaves(self, n_leaves: int) -> int:
        """Return the entry with the most leaves, at most `n_leaves`: the sequence does not hold every
        number.
        """
        return int(np.argmax(self.n_leaves <= n_leaves))

    def subtree(self, entry: int) -> Trees:
        """Return the subtree of an entry, with its nodes in the order of the grown tree; O(N)."""
        alpha = self.alpha[entry]
        kept = self.high > alpha
        leaf = kept & (self.low <= alpha)
        number = np.cumsum(kept) - 1
        tree = self.tree
        part = {name: getattr(tree, name)[kept].copy() for name in PER_NODE}
        part["left"] = number[np.maximum(part["left"], 0)].astype(np.int32)
        ends = leaf[kept]
        for name, value in (("feature", -1), ("left", -1), ("category_start", -1), ("gain", 0.0)):
            part[name][ends] = value
        part["threshold"][ends], part["missing_left"][ends] = 0.0, False
        return replace(tree, start=np.array([0, len(ends)]), **part)

    def total_over_leaves(self, of_node: Array, alphas: Array) -> Array:
        """``sum over the leaves t of T(a) of of_node[t]`` for increasing strengths a, shape (A, ...)."""
        first = np.searchsorted(alphas, self.low, side="left")
        endless = np.isinf(self.high)  # also at an infinite strength
        last = np.where(endless, len(alphas), np.searchsorted(alphas, self.high, side="left"))
        live = first < last
        step = np.zeros((len(alphas) + 1, *of_node.shape[1:]))
        np.add.at(step, first[live], of_node[live])
        np.subtract.at(step, last[live], of_node[live])
        return np.asarray(np.cumsum(step, axis=0)[:-1])

    @cached_property
    def midpoints(self) -> Array:
        """Geometric means of neighbouring strengths, then infinity: what cross-validation tries."""
        return np.append(np.sqrt(self.alpha[:-1]) * np.sqrt(self.alpha[1:]), np.inf)


def weakest_link(tree: Trees, node_risk: Array) -> PruningSequence:
    """The nested sequence that minimises ``R(T) + alpha |leaves|`` for every alpha >= 0.

    The optimal cost below a node, ``C_t(alpha) = min(R_t + alpha, C_left(alpha) + C_right(alpha))``, is
    concave and piecewise linear; node t falls at the strength where the two sides cross.  Children hand up
    the corners of their functions in heaps, and each corner above a crossing is thrown away once.

    Parameters
    ----------
    tree : Trees
        One tree.
    node_risk : array, shape (N,)
        Loss of each node's own prediction, summed over its training rows (whole numbers keep ties exact).

    Returns
    -------
    PruningSequence
        With alpha and risk per unit of weight of the root: mean losses.

    Notes
    -----
    Cost O(N log N) for balanced trees, O(N log^2 N) at worst, for N nodes. rpart's ``cp`` is alpha over the
    risk of the root, ``cp = alpha / risk[-1]``; scikit-learn's ``ccp_alpha`` is alpha.

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, sections 3.3 and 10.2.

    Examples
    --------
    >>> tree = Trees.stump(feature=0, threshold=1.5, values=[[0.0], [1.0]], n_features=1)
    >>> found = weakest_link(tree, np.array([1.0, 0.0, 0.0]))
    >>> found.alpha, found.n_leaves, found.risk
    (array([0. , 0.5]), array([2, 1]), array([0. , 0.5]))
    """
    if len(tree) != 1:
        raise ValueError(f"pruning takes one tree, got {len(tree)}: prune them one by one")
    total = float(tree.weight[0])
    order = np.argsort(tree.node_depth, kind="stable")
    falls = _same(_crossings(tree, node_risk, order), float(node_risk[0]))
    parent = node_parents(tree)
    high = np.full(len(falls), np.inf)
    below, depth = order[1:], tree.node_depth
    for layer in np.split(below, np.flatnonzero(np.diff(depth[below])) + 1):
        high[layer] = np.minimum(high[parent[layer]], falls[parent[layer]])
    inner = tree.feature >= 0
    alphas = np.unique(np.append(falls[inner & (falls < high)], 0.0))
    found = PruningSequence(tree, falls, high, alphas, np.zeros(0, dtype=np.int64), np.zeros(0))
    sums = found.total_over_leaves(np.column_stack([np.ones(len(falls)), node_risk]), alphas)
    return replace(
        found,
        low=falls / total,
        high=high / total,
        alpha=alphas / total,
        n_leaves=np.rint(sums[:, 0]).astype(np.int64),
        risk=sums[:, 1] / total,
    )


def node_parents(tree: Trees) -> IndexArray:
    """Return the parent of each node of one tree, -1 at the root."""
    parent = np.full(len(tree.feature), -1)
    inner = np.flatnonzero(tree.feature >= 0)
    parent[tree.left[inner]] = parent[tree.left[inner] + 1] = inner
    return parent


def _crossings(tree: Trees, node_risk: Array, order: NDArray[np.intp]) -> Array:
    """Return the strength from which on each inner node is better off as a leaf; 0 at leaves."""
    falls = np.zeros(len(node_risk))
    risk, left = node_risk.tolist(), tree.left.tolist()
    corners: dict[int, list[tuple[float, float, int]]] = {}
    for t in order[::-1].tolist():
        if left[t] < 0:
            continue
        few, many = corners.pop(left[t], []), corners.pop(left[t] + 1, [])
        if len(few) > len(many):
            few, many = many, few
        for corner in few:
            heapq.heappush(many, corner)
        # From the top: both children are leaves there; each corner passed brings their subtrees back.
        cost, leaves = risk[left[t]] + risk[left[t] + 1], 2
        crossing = risk[t] - cost
        while many and crossing < -many[0][0]:
            _, more_cost, more_leaves = heapq.heappop(many)
            cost, leaves = cost + more_cost, leaves + more_leaves
            crossing = (risk[t] - cost) / (leaves - 1)
        falls[t] = max(crossing, 0.0)
        heapq.heappush(many, (-falls[t], cost - risk[t], leaves - 1))
        corners[t] = many
    return falls


def _same(strengths: Array, root: float) -> Array:
    """Strengths that differ by rounding alone become the largest of their group."""
    values, where = np.unique(strengths, return_inverse=True)
    for k in range(len(values) - 2, -1, -1):
        if values[k + 1] - values[k] <= SAME * root:
            values[k] = values[k + 1]
    if len(values) and values[0] <= SAME * root:
        values[values <= SAME * root] = 0.0
    return np.asarray(values[where])
