"""An approximate inverse of a sparse graph Laplacian, by a hierarchy of ever smaller graphs.

Vertices that are joined by heavy edges are put together, two by two and these pairs once more, until few are
left; errors that vary along the graph are damped on its vertices, and smooth ones are solved on the smaller
graph.  Vanek, Mandel and Brezina 1996, Computing 56 (smoothed aggregation); Notay 2010, Electronic
Transactions on Numerical Analysis 37 (pairs of pairs).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from empirisk.typing import Array, IndexArray

__all__ = ["Multilevel", "matched"]

# Vertices of a graph that is solved by Cholesky's factor, and most levels above it.
COARSEST, LEVELS = 400, 16
# Added to the diagonal as a share of the degree: L itself is singular on each component.
SHIFT = 1e-6
# Damping of Jacobi's steps, and of the one that smooths the prolongation: 4/3 over 2.
STEP, SMOOTH = 0.7, 0.66
# Numbers of A P as a multiple of the given weights, beyond which the prolongation P is not smoothed:
# graphs in many dimensions would fill up.
FILL = 2.0
# A level that leaves more than this share of the vertices is not worth its cost.
SHRINK = 0.8


@dataclass(frozen=True, eq=False)
class Level:
    """One graph of the hierarchy: its matrix, one over the diagonal, and the way to the next smaller one."""

    A: Any
    inverse: Array
    up: Any
    down: Any


@dataclass(frozen=True, eq=False)
class Multilevel:
    """The hierarchy of a graph.

    Parameters
    ----------
    levels : tuple of Level
    coarsest : tuple
        Cholesky's factor of the smallest matrix, or its inverted diagonal where that is still large.
    """

    levels: tuple[Level, ...]
    coarsest: Any

    @classmethod
    def of(cls, W: Any) -> Multilevel:
        """Return the hierarchy of a CSR matrix of weights."""
        degree = np.asarray(W.sum(axis=1), dtype=np.float64).ravel()
        # A vertex without an edge keeps a diagonal that can be inverted.
        free = np.where(degree > 0.0, SHIFT * degree, max(float(degree.max()), 1.0))
        A, budget = sp.csr_array(sp.diags_array(degree + free) - W), FILL * W.nnz
        levels: list[Level] = []
        while A.shape[0] > COARSEST and len(levels) < LEVELS:
            group = _groups(A)
            count = int(group.max()) + 1
            if count > SHRINK * A.shape[0]:
                break
            levels.append(_level(A, group, count, budget))
            A = sp.csr_array(levels[-1].down @ (A @ levels[-1].up))
        if A.shape[0] > 8 * COARSEST:
            return cls(tuple(levels), 1.0 / A.diagonal())
        dense = A.toarray()
        dense[np.diag_indices_from(dense)] *= 1.0 + 1e-12
        return cls(tuple(levels), cho_factor(dense, check_finite=False))

    def solve(self, B: Array, level: int = 0) -> Array:
        """Return the approximate inverse times the columns of B, one symmetric V-cycle."""
        if level == len(self.levels):
            if isinstance(self.coarsest, tuple):
                return np.asarray(cho_solve(self.coarsest, B, check_finite=False))
            return np.asarray(self.coarsest[:, None] * B)
        here = self.levels[level]
        step = STEP * here.inverse[:, None]
        X = step * B
        X += step * (B - here.A @ X)
        X += here.up @ self.solve(here.down @ (B - here.A @ X), level + 1)
        X += step * (B - here.A @ X)
        X += step * (B - here.A @ X)
        return np.asarray(X)


def _level(A: Any, group: IndexArray, count: int, budget: float) -> Level:
    """Return a level with a smoothed prolongation, or a plain one where the smaller graph would fill up."""
    n = A.shape[0]
    inverse = 1.0 / A.diagonal()
    plain = sp.csr_array((np.ones(n), group, np.arange(n + 1)), shape=(n, count))
    up = plain
    smoothed = sp.csr_array(plain - SMOOTH * (sp.diags_array(inverse) @ (A @ plain)))
    if (A @ smoothed).nnz <= budget:
        up = smoothed
    return Level(A, inverse, up, sp.csr_array(up.T))


def _groups(A: Any) -> IndexArray:
    """Return the group of each vertex: pairs of pairs along heavy edges."""
    weights = sp.csr_array(-A)
    weights.setdiag(0.0)
    weights.data = np.maximum(weights.data, 0.0)
    weights.eliminate_zeros()
    first = matched(weights)
    count, n = int(first.max()) + 1, A.shape[0]
    gather = sp.csr_array((np.ones(n), first, np.arange(n + 1)), shape=(n, count))
    pairs = sp.csr_array(gather.T @ (weights @ gather))
    pairs.setdiag(0.0)
    pairs.eliminate_zeros()
    return matched(pairs)[first]


def matched(W: Any, rounds: int = 8) -> IndexArray:
    """Return the pair of each vertex: edges that are the heaviest at both ends, again and again.

    Parameters
    ----------
    W : csr_array, shape (n, n)
        Symmetric weights > 0 without a diagonal.
    rounds : int, default 8
        How often the heaviest of what is left are taken; vertices that stay alone join their heaviest
        neighbour's pair, and without a neighbour that has one they stay alone.

    Examples
    --------
    >>> path = sp.csr_array(np.array([[0, 3, 0], [3, 0, 1], [0, 1, 0]]))
    >>> matched(path)
    array([0, 0, 0])
    """
    n = W.shape[0]
    row, column = np.repeat(np.arange(n), np.diff(W.indptr)), W.indices.astype(np.int64)
    # Equal weights are told apart by a number of the edge, the same in both directions: ties match none.
    low, high = np.minimum(row, column), np.maximum(row, column)
    tie = np.modf(np.sin(low * 12.9898 + high * 78.233) * 43758.5453)[0]
    value = W.data * (1.0 + 1e-3 * tie)
    leader, free = np.arange(n), np.ones(n, dtype=bool)
    rows, columns, values = row, column, value
    for _ in range(rounds):
        if not len(rows):
            break
        starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
        best = np.zeros(n)
        best[rows[starts]] = np.maximum.reduceat(values, starts)
        both = (values >= best[rows]) & (values >= best[columns]) & (rows < columns)
        a, b = rows[both], columns[both]
        # Two equal numbers at one vertex are as good as impossible; one of them is dropped then.
        _, once = np.unique(a, return_index=True)
        a, b = a[once], b[once]
        _, once = np.unique(b, return_index=True)
        a, b = a[once], b[once]
        a, b = a[~np.isin(a, b)], b[~np.isin(a, b)]
        leader[b] = a
        free[a] = free[b] = False
        left = free[rows] & free[columns]
        rows, columns, values = rows[left], columns[left], values[left]
    return _numbered(_with_neighbours(leader, free, row, column, value))


def _with_neighbours(
    leader: IndexArray, free: Any, row: IndexArray, column: IndexArray, value: Array
) -> IndexArray:
    """Return the leaders after vertices that are alone joined the pair of their heaviest neighbour."""
    near = free[row] & ~free[column]
    rows, columns = row[near], column[near]
    order = np.lexsort((value[near], rows))
    rows, columns = rows[order], columns[order]
    last = np.flatnonzero(np.r_[rows[1:] != rows[:-1], True]) if len(rows) else np.empty(0, dtype=np.intp)
    out = leader.copy()
    out[rows[last]] = leader[columns[last]]
    return out


def _numbered(leader: IndexArray) -> IndexArray:
    """Return the groups of equal leaders, numbered from 0."""
    return np.asarray(np.unique(leader, return_inverse=True)[1], dtype=np.intp)
