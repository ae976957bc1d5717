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
from empirisk.data.sparse_cells import is_sparse
from empirisk.graphs.adjacency import isolated
from empirisk.typing import Array, IndexArray

__all__ = ["alone", "copies_of", "counted"]


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
    loops: Array = (among or 0.0) * count * (count - 1.0)
    if is_sparse(W):
        V = sp.csr_array(W, copy=True)
        V.data *= count[V.indices] * np.repeat(count, np.diff(V.indptr))
        if among is None:
            return V
        V = sp.csr_array(V + sp.diags_array(loops))
        V.eliminate_zeros()
        V.sort_indices()
        return V
    refuse_memory("the weights between copies of rows", 8.0 * W.size, "take a sparse graph")
    V = count[:, None] * W
    V *= count
    V[np.diag_indices_from(V)] += loops
    return V


def alone(W: Any, count: Array, among: float | None = None) -> IndexArray:
    """Return the vertices without an edge to another one, of which a copy is one where copies are joined.

    Examples
    --------
    >>> alone(np.zeros((3, 3)), np.array([1.0, 2.0, 1.0]), 1.0)
    array([0, 2])
    """
    joined = np.asarray(W.diagonal()) > 0.0 if among is None else np.full(len(count), among > 0.0)
    apart = isolated(W)
    return apart[~((count > 1.0) & joined)[apart]]
