"""Weights of a graph that somebody has made: what is checked, degrees, isolated vertices, components."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from empirisk.data.across import unequal_tiles
from empirisk.data.memory import refuse_memory
from empirisk.data.sparse_cells import is_sparse
from empirisk.typing import Array, IndexArray

__all__ = ["adjacency", "components", "degrees", "isolated"]


def adjacency(W: Any) -> Any:
    """Return the weights of a graph in float64, as an array or a canonical CSR matrix without stored zeros.

    Parameters
    ----------
    W : array or sparse matrix, shape (n, n)
        Symmetric weights >= 0.  ``W[i, i] > 0`` is a self-loop: it counts once in the degree of i, as in the
        sum ``D_ii = sum_j W_ij``, and cancels in ``L = D - W`` and in every cut.

    Raises
    ------
    ValueError
        For a matrix that is not square or not symmetric (to the last bit), for negative weights, NaN and
        infinity; the first such entry is named.

    Examples
    --------
    >>> adjacency([[0, 2], [1, 0]])
    Traceback (most recent call last):
        ...
    ValueError: W must be symmetric, and W[0, 1] = 2 while W[1, 0] = 1; take (W + W.T) / 2, say
    """
    if is_sparse(W):
        made: Any = sp.csr_array(W, dtype=np.float64, copy=True)
        made.sum_duplicates()
        made.eliminate_zeros()
        values: Any = made.data
    else:
        made = values = np.ascontiguousarray(W, dtype=np.float64)
    if made.ndim != 2 or made.shape[0] != made.shape[1] or made.shape[0] < 1:
        raise ValueError(f"W must be square, one row and one column a vertex; got shape {made.shape}")
    if not np.isfinite(values).all():
        _refuse(made, ~np.isfinite(values), "is not finite; a pair without an edge has weight 0")
    if (values < 0.0).any():
        _refuse(made, values < 0.0, "is negative; weights say how alike two vertices are, and are >= 0")
    _check_symmetric(made)
    if float(values.sum()) == np.inf:
        raise ValueError("the sum of the weights W overflows; divide them by a constant")
    return made


def _refuse(W: Any, bad: Any, what: str) -> NoReturn:
    """Raise the error that names the first bad entry."""
    if is_sparse(W):
        at = int(np.flatnonzero(bad)[0])
        i, j, value = int(np.searchsorted(W.indptr, at, "right")) - 1, int(W.indices[at]), W.data[at]
    else:
        i, j = (int(v) for v in np.argwhere(bad)[0])
        value = W[i, j]
    raise ValueError(f"W[{i}, {j}] = {value:g} {what}")


def _check_symmetric(W: Any) -> None:
    """Refuse weights that differ between the two directions, and name the first pair."""
    if is_sparse(W):
        off = (W - sp.csr_array(W.T)).tocoo()
        where = np.flatnonzero(off.data != 0.0)
        if not len(where):
            return
        i, j = int(off.coords[0][where[0]]), int(off.coords[1][where[0]])
    else:
        if next(unequal_tiles(W), None) is None:
            return
        i, j = (int(v) for v in np.argwhere(W != W.T)[0])
    raise ValueError(
        f"W must be symmetric, and W[{i}, {j}] = {W[i, j]:g} while W[{j}, {i}] = {W[j, i]:g}; take "
        "(W + W.T) / 2, say"
    )


def degrees(W: Any) -> Array:
    """Return ``d_i = sum_j W_ij``, self-loops included.

    Parameters
    ----------
    W : array or sparse matrix, shape (n, n)
        Symmetric weights >= 0.

    Examples
    --------
    >>> degrees([[0, 2, 0], [2, 0, 1], [0, 1, 0]])
    array([2., 3., 1.])
    """
    return _sums(adjacency(W))


def _sums(W: Any) -> Array:
    """Return the sums of the rows of checked weights."""
    return np.asarray(W.sum(axis=1), dtype=np.float64).ravel()


def isolated(W: Any) -> IndexArray:
    """Return the numbers of the vertices that have no edge to another vertex.

    Parameters
    ----------
    W : array or sparse matrix, shape (n, n)
        Symmetric weights >= 0.

    Examples
    --------
    >>> isolated([[0, 2, 0], [2, 0, 0], [0, 0, 5]])
    array([2])
    """
    W = adjacency(W)
    return np.flatnonzero(_sums(W) - W.diagonal() <= 0.0).astype(np.intp)


def components(W: Any) -> tuple[int, IndexArray]:
    """Return how many connected components a graph has, and the one of each vertex.

    Parameters
    ----------
    W : array or sparse matrix, shape (n, n)
        Symmetric weights >= 0.

    Returns
    -------
    count : int
    component : array of int, shape (n,)
        Components are numbered in the order of their first vertices.

    Notes
    -----
    O(number of edges), by graph search: no eigenvalue is asked.

    Examples
    --------
    >>> components([[0, 2, 0], [2, 0, 0], [0, 0, 0]])
    (2, array([0, 0, 1]))
    """
    W = adjacency(W)
    if not is_sparse(W):
        refuse_memory("the edges of a dense graph", 12.0 * W.size, "give W as a sparse matrix")
    count, label = connected_components(sp.csr_array(W), directed=False)
    _, first = np.unique(label, return_index=True)
    order = np.empty(count, dtype=np.intp)
    order[np.argsort(first)] = np.arange(count)
    return int(count), order[label]
