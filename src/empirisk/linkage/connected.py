"""Merging of the closest clusters among those that a graph connects."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk import _loops
from empirisk.data.memory import refuse_memory
from empirisk.linkage.base import Linkage
from empirisk.linkage.plain_greedy import distances
from empirisk.typing import Array, IndexArray

__all__ = ["merge_connected"]

# Multiply-adds between two looks for Ctrl-C: less than half a second.
WORK = 10**8


def merge_connected(
    X: Array, linkage: Linkage, metric: str, weight: Array, graph: Any
) -> tuple[IndexArray, IndexArray, Array, int]:
    """Return the merges of the closest clusters between which the graph has an edge.

    When no edge is left, the clusters that remain are the components of the graph; they are merged without
    it.  Numbers of clusters and ties are as in :func:`empirisk.linkage.merging.merge`; heights may fall,
    whatever the linkage.

    Parameters
    ----------
    X : array, shape (n, p)
        Rows, or the matrix of their distances.
    linkage : Linkage
    metric : {"euclidean", "manhattan", "cosine", "precomputed"}
    weight : array, shape (n,)
        Weights > 0.
    graph : sparse matrix, shape (n, n)
        Whose stored cells that are not zero are edges, in either direction.

    Returns
    -------
    first, second : array of int, shape (n - 1,)
        A row of each of the two clusters.
    height : array, shape (n - 1,)
    free : int
        How many merges, the last ones, were made without the graph.

    Raises
    ------
    MemoryError
        Before the matrix of distances is made, where it does not fit.

    Notes
    -----
    Each merge compares the new cluster with its neighbours: O(n log n + e p) where all clusters have few of
    e edges, O(n^2 p) at worst.  Memory for the rows and edges, or ``8 n^2`` bytes and O(n^2) changes of
    distances where the linkage is not one of centres.
    """
    n = len(X)
    given = not linkage.centroids or metric == "precomputed"
    held = _matrix(X, linkage, metric, weight) if given else np.ascontiguousarray(X, dtype=np.float64)
    starts, ends = _edges(graph, n)
    linker = _loops.ConnectedLinker(held, linkage.name, given, weight.astype(np.float64), starts, ends)
    while linker.step(WORK):
        pass  # Python looks for Ctrl-C here
    first, second, height = linker.result()
    if linkage.squared:
        height = np.sqrt(height)
    return first, second, height, n - 1 - linker.constrained


def _matrix(X: Array, linkage: Linkage, metric: str, weight: Array) -> Array:
    """Return a new matrix of distances, or of what their recurrence holds: squares, Ward's with weights."""
    n = len(X)
    advice = "take fewer rows, or a linkage of centres and Euclidean rows"
    refuse_memory(f"the matrix of distances of {n:,} rows", 8.0 * n * n, advice)
    everyone = np.arange(n)
    D = np.ascontiguousarray(distances(X, everyone, everyone, metric), dtype=np.float64)
    if linkage.squared:
        for i in range(n):
            D[i] *= D[i]
            if linkage.reducible:
                D[i] *= 2.0 * weight[i] * weight / (weight[i] + weight)
    return D


def _edges(graph: Any, n: int) -> tuple[IndexArray, IndexArray]:
    """Return the edges of each row in both directions: where its list starts, and the other ends."""
    links = sp.coo_array(graph)
    i, j = (side.astype(np.int64) for side in links.coords)
    kept = (links.data != 0) & (i != j)
    i, j = i[kept], j[kept]
    side, other = np.concatenate([i, j]), np.concatenate([j, i])
    starts = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(side, minlength=n), out=starts[1:])
    return starts, other[np.argsort(side, kind="stable")]
