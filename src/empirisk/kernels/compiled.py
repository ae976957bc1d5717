"""Blocks of kernels, and products with them, by the compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk import _loops
from empirisk.kernels.base import Loop
from empirisk.typing import Array

__all__ = ["arguments", "block", "product"]

NUMBERS = 4  # constants that a compiled form can have


def block(loop: Loop, A: Any, B: Any = None) -> Array:
    """``k(a_i, b_j)`` for all pairs of rows; without B exactly symmetric.

    Parameters
    ----------
    loop : Loop
        The kernel.
    A, B : ndarray or CSR
        Rows; B = A by default.
    """
    A, B, centre = _rows(loop, A, B)
    return np.asarray(_loops.kernel_block(loop.form, _numbers(loop), A, B, centre))


def product(loop: Loop, A: Any, B: Any, weights: Array) -> Array:
    """``sum_j k(a_i, b_j) weights[j]`` in float64, the shape of weights with the rows of A; no matrix is
    stored.

    Parameters
    ----------
    loop, A, B
        As in :func:`block`.
    weights : array, shape (m,) or (m, c)
    """
    A, B, centre = _rows(loop, A, B)
    columns = np.reshape(weights, (B.shape[0], -1))
    if not columns.shape[1]:
        return np.zeros((A.shape[0], 0))
    out = _loops.kernel_product(
        loop.form, _numbers(loop), A, B, np.ascontiguousarray(columns), columns.shape[1], centre
    )
    return np.asarray(out).reshape(A.shape[0], *np.shape(weights)[1:])


def arguments(loop: Loop, X: Any) -> tuple[str, Array, Any, Array | None]:
    """Return what compiled loops are handed for the kernel on the rows of X: form, constants, rows,
    centre.
    """
    rows, _, centre = _rows(loop, X, None)
    return loop.form, _numbers(loop), rows, centre


def _numbers(loop: Loop) -> Array:
    return np.array([*loop.numbers, *[0.0] * (NUMBERS - len(loop.numbers))])


def _rows(loop: Loop, A: Any, B: Any) -> tuple[Any, Any, Array | None]:
    """Return both sides in one format, and the row that is to be subtracted from both, for kernels of
    differences: the sums then are as large as the differences themselves.
    """
    other = A if B is None else B
    wide = np.result_type(A.dtype, other.dtype)
    A, other = _as(A, wide), _as(other, wide)
    plain = not sp.issparse(A) and not sp.issparse(other)
    centred = plain and loop.base != "inner" and other.shape[0] > 0
    centre = other.mean(axis=0, dtype=np.float64) if centred else None
    return A, None if B is None else other, centre


def _as(X: Any, dtype: np.dtype[Any]) -> Any:
    if not isinstance(X, np.ndarray) and X.format != "csr":
        X = X.tocsr()
    return X if X.dtype == dtype else X.astype(dtype)
