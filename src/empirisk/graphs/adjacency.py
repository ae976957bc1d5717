"""Weights of a graph that somebody has made: what is checked, degrees, isolated vertices, components."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from empirisk.data.across import unequal_tiles
from empirisk.data.memory import refuse_memory
from empirisk.data.sparse_cells import canonical, is_sparse
from empirisk.typing import Array, IndexArray

__all__ = ["adjacency", "components", "degrees", "isolated"]

TINY = float(np.finfo(np.float64).tiny)


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
        For a matrix that is not square or not symmetric (but for rounding: a share
        of 1e-12, or 1e-5 of float32), for negative weights, NaN and infinity; the first such entry is named.

    Examples
    --------
    >>> adjacency([[0, 2], [1, 0]])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: W must be symmetric, and W[0, 1] = 2 while W[1, 0] = 1, a difference of 1; take ...
    """
    single = getattr(W, "dtype", None) in (np.float32, np.float16)
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
    made = _symmetric(made, 1e-5 if single else 1e-12)
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


def _symmetric(W: Any, share: float) -> Any:
    """Return weights that are exactly symmetric: where only rounding tells directions apart, their mean."""
    if not is_sparse(W) and next(unequal_tiles(W), None) is None:
        return W
    across: Any = sp.csr_array(W.T) if is_sparse(W) else W.T
    off: Any = abs(W - across)
    if not off.max():
        return W
    # Numbers below the smallest normal one have no digits that could agree.
    bad = off > share * np.maximum(W, across) + TINY if not is_sparse(W) else _beyond(off, W, share)
    if bad.max():
        i, j = (int(v[0]) for v in bad.nonzero())
        raise ValueError(
            f"W must be symmetric, and W[{i}, {j}] = {W[i, j]:g} while W[{j}, {i}] = {W[j, i]:g}, a "
            f"difference of {off[i, j]:.2g}; take (W + W.T) / 2, say"
        )
    mean: Any = 0.5 * W + 0.5 * across
    return canonical(sp.csr_array(mean)) if is_sparse(W) else mean


def _beyond(off: Any, W: Any, share: float) -> Any:
    """Return where sparse weights differ between the directions by more than a share of the larger one."""
    more = sp.csr_array(off)
    more.eliminate_zeros()
    more.sort_indices()
    larger = np.asarray(sp.csr_array(W.maximum(W.T))[more.nonzero()]).ravel()
    return sp.csr_array((more.data > share * larger + TINY, more.indices, more.indptr), shape=more.shape)


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
