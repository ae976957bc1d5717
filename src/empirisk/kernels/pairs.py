"""What kernels are functions of: inner products and distances of all pairs of rows, in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.typing import Array

__all__ = ["inner", "squared_distances", "squared_norms", "weighted_squares"]


def inner(A: Any, B: Any = None) -> Array:
    """Return ``A B'``, the inner products of all pairs, as a dense matrix."""
    product: Any = A @ (A if B is None else B).T
    return np.asarray(product if isinstance(product, np.ndarray) else product.toarray())


def squared_norms(A: Any) -> Array:
    """Return the squared norm ``||a_i||^2`` of every row, shape (n,)."""
    if isinstance(A, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", A, A))
    return np.asarray(A.multiply(A).sum(axis=1)).ravel()


def squared_distances(A: Any, B: Any = None) -> Array:
    """``||a_i - b_j||^2``; equal rows are at a distance of exactly 0 when B is A.

    Rows are centred first where they are dense: the terms then are as large as the distances themselves.
    """
    same = B is None
    if not sp.issparse(A) and not sp.issparse(B):
        centre = A.mean(axis=0)
        A = A - centre
        B = A if same else B - centre
    B = A if same else B
    out = squared_norms(A)[:, None] + squared_norms(B)[None, :] - 2.0 * inner(A, B)
    np.maximum(out, 0.0, out=out)
    if same:
        np.fill_diagonal(out, 0.0)
    return out


def weighted_squares(M: Array, A: Any, B: Any = None) -> float:
    """``sum_ij M_ij ||a_i - b_j||^2`` by one product of M with the rows; the distances are not stored.

    Rows are centred first where they are dense, as in :func:`squared_distances`.
    """
    if B is None:  # rows are at a distance of exactly 0 from themselves, whatever M has there
        M = M.copy()
        np.fill_diagonal(M, 0.0)
    B = A if B is None else B
    if not sp.issparse(A) and not sp.issparse(B):
        centre = A.mean(axis=0)
        A, B = A - centre, B - centre
    own = squared_norms(A) @ M.sum(axis=1) + M.sum(axis=0) @ squared_norms(B)
    across: Any = M @ B  # dense rows times CSR are dense, too
    cross = np.vdot(A, across) if isinstance(A, np.ndarray) else A.multiply(across).sum()
    return float(own - 2.0 * cross)
