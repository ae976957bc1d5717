"""Partitions of a graph whose ratio cut or normalised cut is lowered, by single moves and by split points.

Eigenvectors solve the cut without the condition that parts are parts, and k-means of their rows knows nothing
of the edges between them.  Shi and Malik 2000 (IEEE Transactions on Pattern Analysis and Machine Intelligence
22) and Hagen and Kahng 1992 (IEEE Transactions on Computer-Aided Design 11) try all split points of a vector
by the cut itself; moves of single vertices then go on until none lowers it (Kernighan and Lin 1970, Bell
System Technical Journal 49).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.sparse_cells import is_sparse
from empirisk.typing import Array, IndexArray

__all__ = ["best_gain", "cut_over", "lowered"]

# Pairs of parts whose split is tried, as a multiple of the parts.
PAIRS = 2
# Gains below this share of the cut, or of the largest degree over its size, are rounding.
SHARE, ROUNDING = 1e-9, 1e-13


def lowered(W: Any, size: Array, labels: IndexArray, points: Array) -> IndexArray:
    """Return parts with ``sum_k W(C_k, not C_k) / size(C_k)`` at most that of given parts, none empty.

    Single vertices go to other parts, the largest gain first, until no move lowers the cut.  Then the
    vertices of every two joined parts are sorted along the line through the means of their points, and split
    where the cut is least; where that lowers it, single vertices move again.

    Parameters
    ----------
    W : array or CSR, shape (n, n)
        Checked weights.
    size : array, shape (n,)
        What the vertices count: degrees for the normalised cut, copies for the ratio cut.
    labels : array of int, shape (n,)
        Parts 0 to K - 1, each with a vertex.
    points : array, shape (n, d)
        Places of the vertices.

    Notes
    -----
    O(K edges) for all split points and for the gains of all moves, which are computed again after each
    round.  Of more than 2 K joined pairs of parts those with the heaviest edges are split.

    Examples
    --------
    >>> W = np.kron(np.eye(2), np.ones((2, 2)) - np.eye(2)) + 0.1 * (1.0 - np.eye(4))
    >>> lowered(W, np.ones(4), np.array([0, 1, 1, 1]), np.array([[0.0], [1.0], [5.0], [6.0]]))
    array([0, 0, 1, 1])
    """
    parts = _Parts(W, size, labels)
    if len(parts.leaving) > 1:
        parts.move_all()
        if parts.sweep(points):
            parts.move_all()
    return parts.label


def best_gain(W: Any, size: Array, labels: IndexArray) -> float:
    """Return by how much one move of a vertex lowers the cut at most, as a share of it; 0 where none does.

    Gains that rounding explains are none.

    Examples
    --------
    >>> W = np.kron(np.eye(2), np.ones((2, 2)) - np.eye(2)) + 0.1 * (1.0 - np.eye(4))
    >>> best_gain(W, np.ones(4), np.array([0, 0, 1, 1]))
    0.0
    """
    parts = _Parts(W, size, labels)
    if len(parts.leaving) < 2:
        return 0.0
    gain = float(parts.gains(parts.links()).max())
    return gain / parts.cut if gain > parts.least else 0.0


def cut_over(W: Any, size: Array, labels: IndexArray) -> float:
    """Return ``sum_k W(C_k, not C_k) / size(C_k)`` of checked weights.

    Examples
    --------
    >>> cut_over(np.array([[0.0, 2.0], [2.0, 0.0]]), np.ones(2), np.array([0, 1]))
    4.0
    """
    return _Parts(W, size, labels).cut


class _Parts:
    """A partition with what leaves its parts, and the size and the number of the vertices of each."""

    def __init__(self, W: Any, size: Array, labels: IndexArray) -> None:
        self.W, self.size = W, size
        degree = np.asarray(W.sum(axis=1), dtype=np.float64).ravel()
        self.outwards = degree - W.diagonal()  # loops leave no part
        self.rounding = ROUNDING * float((self.outwards / size).max())
        self.k = int(labels.max()) + 1
        if is_sparse(W):
            self.row = np.repeat(np.arange(len(size)), np.diff(W.indptr))
            once = W.indices > self.row
            self.edges: tuple[Any, ...] = (self.row[once], W.indices[once], W.data[once])
        self.label: IndexArray = np.array(labels, dtype=np.intp)
        self._sum()

    def _sum(self) -> None:
        """Add up what leaves the parts, edge by edge, without differences."""
        k, label = self.k, self.label
        if is_sparse(self.W):
            i, j, w = self.edges
            self.pair = label[i] * k + label[j]
            self.sorted = False
            one_way = np.bincount(self.pair, w, k * k).reshape(k, k)
            self.between = one_way + one_way.T
        else:
            part = self._indicators()
            self.between = np.asarray((part.T @ (part.T @ self.W).T).T)
        np.fill_diagonal(self.between, 0.0)
        self.leaving = self.between.sum(axis=1)
        self.sizes, self.many = np.bincount(label, self.size, self.k), np.bincount(label, minlength=self.k)

    @property
    def cut(self) -> float:
        """The sum of what leaves each part over its size."""
        return float((self.leaving / self.sizes).sum())

    @property
    def least(self) -> float:
        """The gain below which a move is rounding."""
        return max(SHARE * self.cut, self.rounding)

    def try_labels(self, label: IndexArray) -> None:
        """Take other parts if their cut is lower, summed anew."""
        kept, before, least = self.label, self.cut, self.least
        self.label = label
        self._sum()
        if not self.cut < before - least:
            self.label = kept
            self._sum()

    def sweep(self, points: Array) -> bool:
        """Split the vertices of each two parts anew, along the line through the means of their points."""
        before = self.cut
        for a, b in self._joined():
            rows = np.flatnonzero((self.label == a) | (self.label == b))
            second = self.label[rows] == b
            line = points[rows[second]].mean(axis=0) - points[rows[~second]].mean(axis=0)
            order = rows[np.argsort(points[rows] @ line, kind="stable")]
            earlier, inner = self._within(a, b, order)
            outer = np.maximum(self.outwards[order] - inner, 0.0)
            between = np.cumsum(inner - 2.0 * earlier)[:-1]
            left, sizes = np.cumsum(outer), np.cumsum(self.size[order])
            cost = (between + left[:-1]) / sizes[:-1] + (between + left[-1] - left[:-1]) / (
                sizes[-1] - sizes[:-1]
            )
            split = int(np.argmin(cost)) + 1
            own = self.leaving[a] / self.sizes[a] + self.leaving[b] / self.sizes[b]
            if cost[split - 1] < own - self.least:
                label = self.label.copy()
                label[order[:split]], label[order[split:]] = a, b
                self.try_labels(label)
        return self.cut < before

    def _within(self, a: int, b: int, order: IndexArray) -> tuple[Array, Array]:
        """Return, for the vertices of two parts in order, the weights to earlier ones and to all of them."""
        m = len(order)
        if not is_sparse(self.W):
            inner = self.W[np.ix_(order, order)]
            earlier = np.tril(inner, -1).sum(axis=1)
            return earlier, inner.sum(axis=1) - np.diagonal(inner)
        rank = np.empty(len(self.label), dtype=np.intp)
        rank[order] = np.arange(m)
        i, j, w = self._edges_of(a, b)
        p, q = rank[i], rank[j]
        earlier = np.asarray(np.bincount(np.maximum(p, q), w, m), dtype=np.float64)
        return earlier, earlier + np.bincount(np.minimum(p, q), w, m)

    def _edges_of(self, a: int, b: int) -> list[Any]:
        """Return the edges within two parts and between them, all edges sorted by the parts of their ends."""
        if not self.sorted:
            small = self.k * self.k < np.iinfo(np.int16).max  # which NumPy sorts by their digits
            order = np.argsort(self.pair.astype(np.int16) if small else self.pair, kind="stable")
            self.edges, self.pair = tuple(part[order] for part in self.edges), self.pair[order]
            self.sorted = True
        codes = np.array([a * self.k + a, a * self.k + b, b * self.k + a, b * self.k + b])
        starts, stops = np.searchsorted(self.pair, codes), np.searchsorted(self.pair, codes, "right")
        some = [slice(u, v) for u, v in zip(starts, stops, strict=True)]
        return [np.concatenate([part[s] for s in some]) for part in self.edges]

    def _joined(self) -> list[tuple[int, int]]:
        """Return the pairs of parts with an edge between them, the heaviest where there are many."""
        a, b = np.nonzero(np.triu(self.between))
        use = np.sort(np.argsort(-self.between[a, b], kind="stable")[: PAIRS * self.k])
        return [(int(a[e]), int(b[e])) for e in use]

    def _indicators(self) -> Any:
        """Return the indicators of the parts as columns of a sparse matrix."""
        n = len(self.label)
        return sp.csr_array((np.ones(n), self.label, np.arange(n + 1)), shape=(n, self.k))

    def links(self) -> Array:
        """Return the weight from each vertex to each part, without loops."""
        n, k = len(self.label), self.k
        out: Array
        if is_sparse(self.W):
            place = self.row * k + self.label[self.W.indices]
            out = np.bincount(place, self.W.data, n * k).reshape(n, k).astype(np.float64, copy=False)
        else:
            out = np.asarray((self._indicators().T @ self.W).T)
        out[np.arange(n), self.label] -= self.W.diagonal()
        return out

    def gains(self, links: Array, rows: Any = slice(None)) -> Array:
        """Return how much the cut falls when vertices go to each part, 0 for their own and for last ones."""
        own, degree, size = self.label[rows], self.outwards[rows], self.size[rows]
        links, at = links[rows], np.arange(len(own))
        ratio, rest = self.leaving / self.sizes, self.sizes[own] - size
        held = (self.many[own] == 1) | (rest <= 0.0)
        left = (self.leaving[own] - degree + 2.0 * links[at, own]) / np.where(held, 1.0, rest)
        joined = (self.leaving + degree[:, None] - 2.0 * links) / (self.sizes + size[:, None])
        out = np.asarray((ratio[own] - left)[:, None] + ratio - joined)
        out[held] = 0.0
        out[at, own] = 0.0
        return out

    def move_all(self) -> None:
        """Let vertices move until no move lowers the cut."""
        while self.move():
            pass

    def move(self) -> bool:
        """Let vertices go to other parts, those of large gains first; return whether the cut has fallen."""
        links = self.links()
        most = self.gains(links).max(axis=1)
        asking = np.flatnonzero(most > self.least)
        if not len(asking):
            return False
        kept, before = self.label.copy(), self.cut
        for i in asking[np.argsort(-most[asking], kind="stable")]:
            gain = self.gains(links, np.array([i]))[0]
            b = int(gain.argmax())
            if gain[b] > self.least:
                self._place(i, b, links)
        self._sum()
        if self.cut < before:
            return True
        self.label = kept  # rounding alone
        self._sum()
        return False

    def _place(self, i: int, b: int, links: Array) -> None:
        """Put a vertex into another part, with all sums."""
        a, degree = self.label[i], self.outwards[i]
        self.leaving[a] += 2.0 * links[i, a] - degree
        self.leaving[b] += degree - 2.0 * links[i, b]
        self.sizes[a] -= self.size[i]
        self.sizes[b] += self.size[i]
        self.many[a] -= 1
        self.many[b] += 1
        self.label[i] = b
        if is_sparse(self.W):
            near = slice(self.W.indptr[i], self.W.indptr[i + 1])
            rows, w = self.W.indices[near], self.W.data[near]
        else:
            rows, w = np.arange(len(self.label)), self.W[i]
        other = rows != i
        links[rows[other], a] -= w[other]
        links[rows[other], b] += w[other]
