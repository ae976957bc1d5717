"""Nearest rows by Euclidean distance from products of rows, compiled, for numbers of any size."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk import _loops
from empirisk.neighbors.metrics.base import plain
from empirisk.neighbors.scales import Sizes, alike
from empirisk.typing import Array, IndexArray

__all__ = ["by_number", "nearest_euclidean"]

# Doubles that differ, differ by 1e-140 at least unless both are below this; squares of less are lost.
LOST = 1e-124
# Squared distances that what is lost could change.
SHORT = 1e-240
# Rows that the middle is taken of.
SEEN = 1001


def nearest_euclidean(X: Any, Q: Any, k: int, left_out: IndexArray | None) -> tuple[Array, IndexArray]:
    """Return distances and numbers of the k rows of X nearest to each row of Q, (m, k), rising.

    Rows far from 1 in size are scaled by a power of two, which is exact.
    """
    X, Q = alike(X, Q)
    one, other = Sizes.of(X), Sizes.of(Q)
    largest = max(one.largest, other.largest)
    if X.dtype == np.float32 and not 1e-15 <= largest <= 1e15:
        X, Q = X.astype(np.float64), Q.astype(np.float64)  # holds the squares of all of them
    scale = _scale(largest)
    small = min(one.smallest, other.smallest) * scale < LOST
    whole = X, Q
    if scale != 1.0:
        X, Q = X * X.dtype.type(scale), Q * Q.dtype.type(scale)
    absent = None if left_out is None else np.ascontiguousarray(left_out, dtype=np.int64)
    square, index = _loops.nearest_rows(X, Q, k, absent, _middle(X))
    distance = np.sqrt(square) / scale
    by_number(distance, index)
    for i in np.flatnonzero((square < SHORT).any(axis=1)) if small else ():
        line = _far_apart(whole[1][[i]], whole[0])
        if left_out is not None:
            line[left_out[i]] = np.inf
        index[i] = np.argsort(line, kind="stable")[:k]
        distance[i] = line[index[i]]
    return distance, index


def by_number(distance: Array, index: IndexArray) -> None:
    """Sort equal distances of each line by number: sums that differ in their last bit may have one root."""
    tied = ((distance[:, 1:] == distance[:, :-1]) & (index[:, 1:] < index[:, :-1])).any(axis=1)
    for i in np.flatnonzero(tied):
        index[i] = index[i, np.lexsort((index[i], distance[i]))]


def _scale(largest: float) -> float:
    """Return a power of two that brings the largest entry near 1 where squares would over- or underflow."""
    if largest == 0.0 or 1e-100 <= largest <= 1e100:
        return 1.0
    # The power for the smallest numbers of all would itself be infinite.
    return float(2.0 ** min(np.finfo(np.float64).maxexp - 2, -int(np.frexp(largest)[1])))


def _middle(X: Any) -> Array | None:
    """Return the medians of the columns of some rows, evenly spaced: a row far away does not move them."""
    if sp.issparse(X):
        return None
    return np.asarray(np.median(X[:: max(1, X.shape[0] // SEEN)], axis=0), dtype=np.float64)


def _far_apart(q: Any, X: Any) -> Array:
    """Return the distances of one row from all, where no square over- or underflows."""
    unit = 0.5 if Sizes.of(X).largest > 1.0 else 1.0  # halves of large numbers have a finite difference
    difference = np.abs(plain(q) * unit - plain(X) * unit)
    largest = difference.max(axis=1, initial=0.0)
    ratio = difference / np.where(largest > 0.0, largest, 1.0)[:, None]
    return np.asarray(largest * np.sqrt((ratio**2).sum(axis=1)) / unit)
