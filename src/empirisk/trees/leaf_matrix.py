"""Which leaf of every tree a row lies in, as a sparse matrix."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["leaf_matrix"]


def leaf_matrix(start: NDArray, leaves: NDArray, weight: NDArray | None = None) -> sp.csr_array:
    """``L[i, node] = weight[i, t]`` where node is the leaf of row i in tree t, shape (n, nodes).

    Parameters
    ----------
    start : array of shape (T + 1,)
        Where the nodes of each tree begin.
    leaves : array of shape (n, T)
        ``trees.apply(X)``.
    weight : array of shape (n, T), optional
        Zeros are left out of the matrix; ones by default.

    Examples
    --------
    >>> leaf_matrix(np.array([0, 3, 6]), np.array([[1, 2], [2, 2]])).toarray().astype(int)
    array([[0, 1, 0, 0, 0, 1],
           [0, 0, 1, 0, 0, 1]])
    """
    n, T = leaves.shape
    node = leaves + np.asarray(start[:-1], dtype=np.int64)
    shape = (n, int(start[-1]))
    if weight is None:
        return sp.csr_array((np.ones(n * T), node.ravel(), np.arange(n + 1) * T), shape=shape)
    there = weight != 0
    indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    return sp.csr_array((weight[there].astype(np.float64), node[there], indptr), shape=shape)
