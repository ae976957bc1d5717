"""Merging of the closest clusters among those that a graph connects."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from empirisk.data.memory import refuse_memory
from empirisk.linkage.base import Linkage
from empirisk.linkage.plain_greedy import distances
from empirisk.typing import Array, IndexArray

__all__ = ["merge_connected"]

Steps = list[tuple[float, int, int]]


class _Clusters(Protocol):
    def to(self, i: int, others: IndexArray) -> Array:
        """Return D, or its square where the linkage is one of squares, of cluster i to others."""
        ...

    def join(self, a: int, b: int) -> None:
        """Put cluster a into cluster b, which keeps its number."""
        ...


class _Centres:
    """Clusters as their centres, in memory for the rows alone."""

    def __init__(self, X: Array, linkage: Linkage, weight: Array) -> None:
        self.link, self.centre = linkage, X.astype(np.float64)
        self.mass = weight.astype(np.float64)

    def to(self, i: int, others: IndexArray) -> Array:
        square = np.sum((self.centre[others] - self.centre[i]) ** 2, axis=1)
        if not self.link.reducible:
            return np.asarray(square)
        mine, its = self.mass[i], self.mass[others]
        return np.asarray(square * (2.0 * mine * its / (mine + its)))

    def join(self, a: int, b: int) -> None:
        share = self.mass[a] / (self.mass[a] + self.mass[b]) if self.link.counts else 0.5
        self.centre[b] = share * self.centre[a] + (1.0 - share) * self.centre[b]
        self.mass[b] += self.mass[a]


class _Matrix:
    """Clusters as a square matrix of their distances, which follow the recurrence."""

    def __init__(self, X: Array, linkage: Linkage, metric: str, weight: Array) -> None:
        n = len(X)
        advice = "take fewer rows, or a linkage of centres and Euclidean rows"
        refuse_memory(f"the matrix of distances of {n:,} rows", 16.0 * n * n, advice)
        everyone = np.arange(n)
        self.link, self.mass = linkage, weight.astype(np.float64)
        self.D = distances(X, everyone, everyone, metric).astype(np.float64)
        if linkage.squared:
            self.D **= 2
            if linkage.reducible:
                self.D *= 2.0 * np.outer(weight, weight) / np.add.outer(weight, weight)

    def to(self, i: int, others: IndexArray) -> Array:
        return np.asarray(self.D[i, others])

    def join(self, a: int, b: int) -> None:
        D = self.D
        p, q, c, g = self.link.coefficients(float(self.mass[a]), float(self.mass[b]), self.mass)
        row = p * D[a] + q * D[b] + c * D[a, b] + (g * np.abs(D[a] - D[b]) if g else 0.0)
        D[b], D[:, b] = row, row
        self.mass[b] += self.mass[a]


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

    Notes
    -----
    A heap of the edges: O((n + e) log n) steps with e edges that clusters get on their way.  Memory for the
    rows and edges, or the square matrix of all distances where the linkage is not one of centres.
    """
    n = len(X)
    clusters: _Clusters
    if linkage.centroids and metric != "precomputed":
        clusters = _Centres(X, linkage, weight)
    else:
        clusters = _Matrix(X, linkage, metric, weight)
    near = _neighbours(graph, n)
    steps: Steps = []
    alive = np.ones(n, dtype=bool)
    _merge_all(clusters, near, alive, steps)
    constrained = len(steps)
    left = np.flatnonzero(alive)
    if len(left) > 1:
        for i in left.tolist():
            near[i] = set(left.tolist()) - {i}
        _merge_all(clusters, near, alive, steps)
    height = np.array([s[0] for s in steps])
    if linkage.squared:
        height = np.sqrt(np.maximum(height, 0.0))
    first, second = (np.array([s[side] for s in steps], dtype=np.int64) for side in (1, 2))
    return first, second, height, n - 1 - constrained


def _neighbours(graph: Any, n: int) -> list[set[int]]:
    """Return the rows that each row has an edge with."""
    links = sp.coo_array(graph)
    kept = links.data != 0
    near: list[set[int]] = [set() for _ in range(n)]
    for i, j in zip(links.coords[0][kept].tolist(), links.coords[1][kept].tolist(), strict=True):
        if i != j:
            near[i].add(j)
            near[j].add(i)
    return near


def _merge_all(clusters: _Clusters, near: list[set[int]], alive: NDArray[np.bool_], steps: Steps) -> None:
    """Merge as long as edges are left.  A cluster has the number of its largest row."""
    version = np.zeros(len(near), dtype=np.int64).tolist()
    heap: list[tuple[float, int, int, int, int]] = []

    def entries(i: int, others: list[int]) -> Any:
        for d, j in zip(clusters.to(i, np.array(others, dtype=np.intp)).tolist(), others, strict=True):
            low, high = (i, j) if i < j else (j, i)
            yield d, low, high, version[low], version[high]

    for i in np.flatnonzero(alive).tolist():
        larger = [j for j in near[i] if j > i]
        if larger:
            heap.extend(entries(i, larger))
    heapify(heap)
    while heap:
        d, a, b, seen_a, seen_b = heappop(heap)
        if version[a] != seen_a or version[b] != seen_b or not (alive[a] and alive[b]):
            continue
        steps.append((d, a, b))
        clusters.join(a, b)
        alive[a] = False
        version[b] += 1
        for c in near[a]:
            near[c].discard(a)
            near[c].add(b)
        near[b] = (near[b] | near[a]) - {a, b}
        near[a] = set()
        others = sorted(near[b])
        if others:
            for entry in entries(b, others):
                heappush(heap, entry)
