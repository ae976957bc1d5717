"""Merging of the closest clusters of rows, by compiled loops: which merges, and in which order.

Bruynooghe, Cahiers de l'analyse des donnees 3 (1978), and Murtagh, The Computer Journal 26 (1983), on pairs
of mutually nearest clusters; Muellner, arXiv:1109.2378 (2011), on which merges these find.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from empirisk import _loops
from empirisk.data.memory import refuse_memory
from empirisk.linkage.base import Linkage
from empirisk.linkage.connected import merge_connected
from empirisk.typing import Array

__all__ = ["merge"]

# Bytes over n^2 that the matrix took for rows in the plane, where most rows have a mutual neighbour early; in
# more columns it takes more.  What is not there is refused before the work.
LEAST = 1.2

# Multiply-adds between two looks for Ctrl-C: about a third of a second of one core.
WORK = 5 * 10**8

ADVICE = (
    "take fewer rows, or Euclidean distances and linkage='ward', 'single', 'centroid' or 'median', which "
    "need memory for the rows alone"
)


def merge(X: Array, linkage: Linkage, metric: str, weight: Array, graph: Any = None) -> tuple[Array, int]:
    """Return the linkage matrix of SciPy, (n - 1, 4), of the merges of the closest clusters, and `free`.

    A cluster has the number of its largest row.  Of equally close pairs the one whose smaller number is
    smaller is merged first, then the one whose larger number is; in single linkage equally short edges
    between rows are taken in that order.  Merges of reducible linkages come by height.

    Parameters
    ----------
    X : array, shape (n, p)
        Rows; for "cosine" of length one, for "precomputed" the symmetric matrix of distances.
    linkage : Linkage
    metric : {"euclidean", "manhattan", "cosine", "precomputed"}
        Euclidean or precomputed where the linkage is made of centroids.
    weight : array, shape (n,)
        Weights > 0.
    graph : sparse matrix, shape (n, n), optional
        Only clusters with an edge between them are merged, while there are any; `free` counts the others.

    Raises
    ------
    MemoryError
        Before a matrix of clusters is made that the memory does not hold.

    Notes
    -----
    O(n^2 p) for rows and O(n^2) for a matrix; linkages whose heights may fall take that where few clusters
    lose their nearest one at a merge, O(n^3) at worst.  Memory: O(n p) for Euclidean rows where the linkage
    has a vector form and for single linkage of any metric; else the square matrix of the clusters that are
    left when half of the rows are merged: 1.2 to 2 n^2 bytes where mutual neighbours are many, ``8 n^2`` at
    worst.
    """
    n = len(X)
    given = metric == "precomputed"
    if n == 1:
        return np.empty((0, 4)), 0
    if graph is not None:
        first, second, height, free = merge_connected(X, linkage, metric, weight, graph)
        return np.asarray(_loops.merge_tree(first, second, height, "given")), free
    if given and linkage.counts and not linkage.centroids and np.any(weight != 1.0):
        refuse_memory(f"the weighted distances of {n:,} rows", 8.0 * n * n, "take fewer rows")
        X = X * np.outer(weight, weight)
    if given and linkage.centroids and not linkage.reducible:
        refuse_memory(f"the matrix of {n:,} rows", 8.0 * n * n, "take fewer rows")
    if not given and not linkage.vector:
        refuse_memory(f"{linkage.name} linkage of {n:,} rows", LEAST * n * n, ADVICE)
    linker = _loops.Linker(X, linkage.name, metric, weight)
    while linker.step(WORK):
        if linker.wants:
            what = f"the matrix of the clusters of {linkage.name} linkage of {n:,} rows"
            refuse_memory(what, linker.wants, ADVICE)
    first, second, height = linker.result()
    if linkage.squared or (linkage.one_pair and metric == "euclidean"):
        height = np.sqrt(height)
    return _in_order(linkage, first, second, height), 0


def _in_order(linkage: Linkage, first: Any, second: Any, height: Array) -> Array:
    """Return the linkage matrix: edges of a spanning tree by length, merges by height or as they came."""
    if linkage.name == "single":
        low, high = np.minimum(first, second), np.maximum(first, second)
        by = np.argsort(height)
        if not np.all(np.diff(height[by]) > 0.0):
            by = np.lexsort((high, low, height))
        return np.asarray(_loops.merge_tree(low[by], high[by], height[by], "given"))
    order: Literal["nested", "given"] = "nested" if linkage.reducible else "given"
    return np.asarray(_loops.merge_tree(first, second, height, order))
