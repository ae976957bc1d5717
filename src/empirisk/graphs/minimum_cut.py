"""The minimum cut of a graph into two parts, by the algorithm of Stoer and Wagner.

Stoer and Wagner 1997, Journal of the ACM 44.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.memory import refuse_memory
from empirisk.data.sparse_cells import is_sparse
from empirisk.graphs.adjacency import adjacency, components
from empirisk.typing import Array, IndexArray

__all__ = ["MinimumCut", "minimum_cut"]


@dataclass(frozen=True, repr=False)
class MinimumCut(Brief):
    """A cut of a graph into two parts than which none is lighter.

    Parameters
    ----------
    value : float
        The sum of the weights of the edges between the parts, each counted once.
    labels : array of int, shape (n,)
        The part of each vertex, 0 or 1; vertex 0 is in part 0.

    Examples
    --------
    >>> found = minimum_cut([[0, 2, 0], [2, 0, 1], [0, 1, 0]])
    >>> found.value, found.smaller
    (1.0, 1)
    """

    value: float
    labels: IndexArray

    @property
    def smaller(self) -> int:
        """The number of vertices of the smaller part."""
        ones = int(self.labels.sum())
        return min(ones, len(self.labels) - ones)


def minimum_cut(W: Any) -> MinimumCut:
    """Return ``min_A sum_{i in A, l not in A} W_il`` over all proper parts A of a graph, exactly.

    Parameters
    ----------
    W : array or sparse matrix, shape (n, n)
        Symmetric weights >= 0; self-loops take no part.

    Returns
    -------
    MinimumCut
        Of cuts of equal weight the one that the order of the vertices finds first.

    Raises
    ------
    ValueError
        For a graph of one vertex, and for weights that are no graph.
    MemoryError
        Where a dense copy of the weights does not fit.

    Notes
    -----
    O(n^3) time and ``8 n^2`` bytes; a graph that falls apart is cut between its components at no cost.  The
    lightest cut often splits one vertex off, and then it says nothing about groups: :func:`ratio_cut` and
    :func:`normalized_cut` divide by the sizes of the parts for that reason.

    Examples
    --------
    Two squares of weight 3 are joined by two edges of weight 1; a ninth vertex hangs on one edge of weight
    1.5.  The lightest cut takes that vertex alone, where the ratio cut separates the squares:

    >>> W = np.zeros((9, 9))
    >>> for i, j in [(0, 1), (1, 2), (2, 3), (0, 3), (4, 5), (5, 6), (6, 7), (4, 7)]:
    ...     W[i, j] = 3.0
    >>> W[0, 4], W[1, 5], W[7, 8] = 1.0, 1.0, 1.5
    >>> W += W.T
    >>> minimum_cut(W).labels.tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1]
    >>> from empirisk.graphs import ratio_cut
    >>> squares = [0, 0, 0, 0, 1, 1, 1, 1, 1]
    >>> round(ratio_cut(W, squares), 3), round(ratio_cut(W, minimum_cut(W).labels), 3)
    (0.9, 1.688)
    """
    W = adjacency(W)
    n = W.shape[0]
    if n < 2:
        raise ValueError("W has one vertex: a cut needs two")
    count, component = components(W)
    if count > 1:
        return MinimumCut(0.0, (component > 0).astype(np.intp))
    refuse_memory(f"the weights of {n:,} vertices as an array", 16.0 * n * n, "cut a smaller graph")
    return _contracted(W.toarray() if is_sparse(W) else W.copy())


def _contracted(W: Array) -> MinimumCut:
    """Return the best of the cuts of n - 1 phases; each phase merges the last two vertices of its order."""
    n = len(W)
    np.fill_diagonal(W, 0.0)
    left = np.arange(n)
    merged = np.arange(n)  # the vertex into which each one went
    best, side = np.inf, np.zeros(n, dtype=bool)
    while len(left) > 1:
        before, last, weight = _phase(W[np.ix_(left, left)]) if len(left) < n else _phase(W)
        s, t = left[before], left[last]
        if weight < best:
            best, side = weight, merged == t
        W[s] += W[t]
        W[:, s] = W[s]
        W[s, s] = 0.0
        merged[merged == t] = s
        left = np.delete(left, last)
    labels = side.astype(np.intp)
    return MinimumCut(float(best), labels if labels[0] == 0 else 1 - labels)


def _phase(W: Array) -> tuple[int, int, float]:
    """Return the last two vertices of the order of the strongest ties, and the last one's weight."""
    n = len(W)
    tie = W[0].copy()
    tie[0] = -np.inf
    before = last = 0
    weight = 0.0
    for _ in range(n - 1):
        before, last = last, int(tie.argmax())
        weight = float(tie[last])
        tie += W[last]  # the minus infinity of those in the order stays
        tie[last] = -np.inf
    return before, last, weight
