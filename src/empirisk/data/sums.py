"""Weighted sums over rows that stay on one thread.

NumPy's and SciPy's BLAS each keep threads that spin after a call.  A dot product over all rows would wake
NumPy's between two parallel loops of ours and slow both many times over; a sum of products does not, and its
pairwise order is the more accurate one.
"""

from __future__ import annotations

import numpy as np

from empirisk.data.threads import SERIAL_DOT
from empirisk.typing import Array

__all__ = ["inner", "total_weight", "weighted_sum"]


def inner(a: Array, b: Array) -> float:
    """``sum a_i b_i`` over all entries of two arrays of the same shape.

    Examples
    --------
    >>> inner(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(np.vdot(a, b)) if a.size <= SERIAL_DOT else float(np.multiply(a, b).sum())


def weighted_sum(s: Array, v: Array) -> Array:
    """``sum_i s_i v_i`` over the first axis of v, shape ``v.shape[1:]``.

    Examples
    --------
    >>> float(weighted_sum(np.array([1.0, 2.0]), np.array([3.0, 4.0])))
    11.0
    """
    if v.ndim == 1:
        return np.asarray(np.add.reduce(np.multiply(s, v)))
    return np.asarray(np.einsum("i,i...->...", s, v))


def total_weight(s: Array) -> float:
    """Return the sum of weights; of one number that is seen from every row the product with the rows.

    Examples
    --------
    >>> total_weight(np.ones(3)), total_weight(np.broadcast_to(np.ones(()), 3))
    (3.0, 3.0)
    """
    return float(s[0]) * len(s) if s.strides == (0,) and len(s) else float(s.sum(dtype=np.float64))
