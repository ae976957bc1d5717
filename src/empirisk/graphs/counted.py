"""A graph in which a vertex stands for several equal rows, which are joined with the same others.

With s_i copies of row i, vectors that are equal on copies see the weights ``s_i s_j W_ij`` between vertices
and the mass s_i (or the degree) of each: their eigenvalues are those of the graph of all copies that do not
tell copies apart.  Edges among the copies of a row cancel in the Laplacian and count in the degree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.memory import refuse_memory
from empirisk.data.sparse_cells import is_sparse, short_indices
from empirisk.typing import Array, IndexArray

__all__ = ["alone", "copies_of", "counted", "merged"]

# Weights beyond it are no counts any more, and products of two of them leave too few digits for single rows.
MOST = 1e8


def copies_of(sample_weight: Any, n: int) -> Array:
    """Return weights of rows as numbers of copies, 1 by default; less than one and more than 1e8 are refused.

    Examples
    --------
    >>> copies_of(None, 2)
    array([1., 1.])
    """
    if sample_weight is None:
        return np.ones(n)
    count = np.asarray(sample_weight, dtype=np.float64)
    if count.shape != (n,):
        raise ValueError(f"sample_weight has shape {count.shape}, expected ({n},): one weight for each row")
    low = ~(count >= 1.0) | ~np.isfinite(count)
    if low.any():
        row = int(np.flatnonzero(low)[0])
        raise ValueError(
            f"sample_weight[{row}] = {count[row]:g}, and in a graph of rows weights are numbers of copies, 1 "
            "at least (0 is absence): multiply all weights by one number, or give the weights of the edges"
        )
    if float(count.max(initial=1.0)) > MOST:
        row = int(np.argmax(count))
        raise ValueError(
            f"sample_weight[{row}] = {count[row]:g}, and in a graph of rows weights are numbers of copies, "
            f"{MOST:g} at most: divide all weights by one number"
        )
    return count


def counted(W: Any, count: Array, among: float | None = None) -> Any:
    """Return the weights between all copies of the rows, ``V_ij = s_i s_j W_ij``.

    Parameters
    ----------
    W : array or csr_array, shape (n, n)
        Checked weights between the rows.
    count : array, shape (n,)
        Copies of each row, s.
    among : float or None, default None
        The weight of an edge between two copies of a row, which are not joined with themselves:
        ``V_ii = s_i (s_i - 1)`` times it.  None is what W says of a row and itself: ``V_ii = s_i^2 W_ii``.

    Examples
    --------
    >>> counted(np.array([[0.0, 0.5], [0.5, 0.0]]), np.array([3.0, 1.0]), 1.0)
    array([[6. , 1.5],
           [1.5, 0. ]])
    """
    if (count == 1.0).all():
        return W
    with np.errstate(over="ignore", invalid="ignore"):
        V = _product(W, count)
        loops: Array = (among or 0.0) * count * (count - 1.0)
        _refuse_many(bool(np.isfinite(V.sum() + loops.sum())), count)
    if among is None:
        return V
    if not is_sparse(V):
        V[np.diag_indices_from(V)] += loops
        return V
    V = sp.csr_array(V + sp.diags_array(loops))
    V.eliminate_zeros()
    V.sort_indices()
    return V


def _product(W: Any, count: Array) -> Any:
    """Return ``(s_i s_j) W_ij``: copies are multiplied first, so that both halves round alike."""
    if is_sparse(W):
        V = sp.csr_array(W, copy=True)
        V.data *= count[V.indices] * np.repeat(count, np.diff(V.indptr))
        return V
    refuse_memory("the weights between copies of rows", 8.0 * W.size, "take a sparse graph")
    made = np.multiply.outer(count, count)
    made *= W
    return made


def _refuse_many(finite: bool, count: Array) -> None:
    """Refuse numbers of copies for which sums over pairs of them are not finite, by the largest."""
    if not finite:
        row = int(count.argmax())
        raise ValueError(
            f"sample_weight[{row}] = {count[row]:g}, and in a graph of rows weights are numbers of copies: "
            "the weights between all of them overflow; divide all weights by one number"
        )


def merged(V: Any, place: IndexArray) -> Any:
    """Return ``sum_(i in g, j in h) V_ij``, the weights between groups, symmetric to the last bit.

    Parameters
    ----------
    V : array or csr_array, shape (n, n)
        Symmetric weights.
    place : array of int, shape (n,)
        The group of each vertex, 0, 1, ...

    Examples
    --------
    >>> merged(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]]), np.array([0, 0, 1]))
    array([[2., 5.],
           [5., 0.]])
    """
    n, many = len(place), int(place.max(initial=-1)) + 1
    if many == n:
        return V
    gather = sp.csr_array((np.ones(n), place, np.arange(n + 1)), shape=(n, many))
    if not is_sparse(V):
        half: Any = gather.T @ V
        whole = np.asarray(gather.T @ half.T)
        above = np.triu(whole, 1)
        return above + above.T + np.diag(np.diagonal(whole))
    sums: Any = sp.csr_array(gather.T @ V @ gather)
    upper = sp.triu(sums, 1)  # the two halves are summed in different orders
    out = sp.csr_array(upper + upper.T + sp.diags_array(sums.diagonal()))
    out.eliminate_zeros()
    out.sort_indices()
    return short_indices(out)


def alone(V: Any, count: Array) -> IndexArray:
    """Return the vertices without an edge to another one, of which a copy is one where copies are joined.

    Parameters
    ----------
    V : array or csr_array, shape (n, n)
        Checked weights between all copies.
    count : array, shape (n,)
        Copies of each vertex.

    Examples
    --------
    >>> alone(np.diag([0.0, 2.0, 3.0]), np.array([1.0, 2.0, 1.0]))
    array([0, 2])
    """
    loops = np.asarray(V.diagonal())
    outwards = np.asarray(V.sum(axis=1), dtype=np.float64).ravel() - loops
    return np.flatnonzero((outwards <= 0.0) & ~((count > 1.0) & (loops > 0.0)))
