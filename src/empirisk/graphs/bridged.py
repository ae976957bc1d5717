"""A graph that falls apart, joined by the shortest edges between its components."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.sparse_cells import is_sparse, short_indices
from empirisk.graphs.adjacency import components
from empirisk.graphs.base import index_of
from empirisk.neighbors import Index
from empirisk.typing import IndexArray

__all__ = ["bridged"]


def bridged(X: Any, W: Any, metric: Any = "euclidean", sample_weight: Any = None) -> tuple[Any, IndexArray]:
    """Return a connected graph, and the edges that were added: the shortest ones between components.

    In each round every component but the largest one is joined with the nearest row outside of it, until one
    component is left.

    Parameters
    ----------
    X : array or CSR, shape (n, p)
        Rows.
    W : array or CSR, shape (n, n)
        Checked weights of their graph.
    metric : str, Metric or callable, default "euclidean"
        Of the lengths; a matrix of distances has none for parts of its rows, and is refused.
    sample_weight : array, shape (n,), optional
        How many rows each vertex stands for, which tells the largest component.

    Returns
    -------
    W : array or csr_array, shape (n, n)
        Bridges weigh as much as the lightest edge of the graph, and 1 where there is none.
    bridges : array of int, shape (m, 2)

    Raises
    ------
    ValueError
        For precomputed distances.

    Notes
    -----
    The search compares the rows of all components but the largest with all rows, in each of at most log2(c)
    rounds for c components.  Of equal lengths the one with the smaller numbers is taken.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> W = np.kron(np.eye(2), np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> bridged(X, W)[1]
    array([[1, 2]])
    """
    index = index_of(X, metric)
    edges = sp.coo_array(W)
    values = edges.data[edges.coords[0] != edges.coords[1]]
    weight = float(values.min()) if len(values) else 1.0
    made: list[tuple[int, int]] = []
    count, part = components(W)
    while count > 1:
        if index.metric.precomputed:
            raise ValueError(
                f"the graph has {count} components and precomputed distances join none: ask for as many "
                "clusters, or join more rows (n_neighbors, radius)"
            )
        made += _nearest_pairs(index, part, sample_weight)
        W = _with_edges(W, made, weight)
        count, part = components(W)
    return W, np.array(sorted(set(made)), dtype=np.intp).reshape(-1, 2)


def _nearest_pairs(index: Index, part: IndexArray, weight: Any) -> list[tuple[int, int]]:
    """Return, for each component but the largest, its row and the row outside of it that are nearest."""
    out, largest = [], int(np.bincount(part, weight).argmax())
    for k in range(int(part.max()) + 1):
        if k == largest:
            continue
        own, others = np.flatnonzero(part == k), np.flatnonzero(part != k)
        distance, near = Index(index.X[others], index.metric).nearest(index.X[own], 1)
        at = int(distance[:, 0].argmin())
        i, j = int(own[at]), int(others[near[at, 0]])
        out.append((min(i, j), max(i, j)))
    return out


def _with_edges(W: Any, edges: list[tuple[int, int]], weight: float) -> Any:
    """Return W with edges of one weight where it has none yet."""
    i, j = np.array(sorted(set(edges)), dtype=np.intp).T
    if not is_sparse(W):
        W = W.copy()
        W[i, j] = W[j, i] = np.maximum(W[i, j], weight)
        return W
    more = sp.csr_array((np.full(len(i), weight), (i, j)), shape=W.shape)
    joined = sp.csr_array(W.maximum(more + more.T))
    joined.sort_indices()
    return short_indices(joined)
