"""The rows that are searched, and the exact searches: the nearest k rows, and all rows within a radius."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk import _loops
from empirisk.data.brief import Brief
from empirisk.data.memory import refuse_memory
from empirisk.neighbors.metrics import Metric
from empirisk.neighbors.metrics.base import plain
from empirisk.typing import Array, IndexArray

__all__ = ["Index"]

# Entries of a block of distances that is made in Python: 32 MiB.
BLOCK = 1 << 22

# Doubles that differ, differ by 1e-140 at least unless both are below this; squares of less are lost.
LOST = 1e-124
# Squared distances that what is lost could change.
SHORT = 1e-240
# Rows that the middle is taken of.
SEEN = 1001


@dataclass(frozen=True, eq=False, repr=False)
class Index(Brief):
    """Rows that are searched by comparing each query with all of them; nothing is built beforehand.

    Parameters
    ----------
    X : ndarray or CSR, shape (n, p)
        The rows; with precomputed distances their matrix, of which only the number of rows matters.
    metric : Metric

    Notes
    -----
    O(n p) a query.  Euclidean distances are searched by compiled tiles on all threads, and no matrix of
    distances is stored; other metrics make blocks of 32 MiB.
    """

    X: Any
    metric: Metric

    @property
    def n_rows(self) -> int:
        """The number of rows that are searched."""
        return int(self.X.shape[0])

    def nearest(self, Q: Any, k: int, left_out: IndexArray | None = None) -> tuple[Array, IndexArray]:
        """Return distances and numbers of the k nearest rows of each query, (m, k), the nearest first.

        Equal distances are sorted by the number of the row: the answer is one, whatever the threads.

        Parameters
        ----------
        Q : array or CSR, shape (m, p)
        k : int
        left_out : int array, shape (m,), optional
            A row that each query must not find: itself, when training rows ask.

        Raises
        ------
        ValueError
            When there are not k rows.
        """
        others = self.n_rows - (left_out is not None)
        if not 1 <= k <= others:
            what = "other training rows" if left_out is not None else "training rows"
            raise ValueError(f"n_neighbors = {k} asks for more rows than there are: {others} {what}")
        if self.metric.euclidean and not self.metric.precomputed:
            return self._compiled(Q, k, left_out)
        distance, index = np.empty((Q.shape[0], k)), np.empty((Q.shape[0], k), dtype=np.int64)
        for start, block in self._blocks(Q):
            rows = slice(start, start + len(block))
            if left_out is not None:
                block[np.arange(len(block)), left_out[rows]] = np.inf
            distance[rows], index[rows] = _smallest(block, k)
        return distance, index

    def within(self, Q: Any, radius: float) -> tuple[IndexArray, IndexArray, Array]:
        """Return all rows at a distance of at most `radius`, as ``(starts, rows, distances)``.

        Those of query i are ``rows[starts[i]:starts[i + 1]]``, by distance and then by number.
        """
        starts, rows, found = [0], [], []
        total = 0
        for _, block in self._blocks(Q):
            for line in block:
                near = np.flatnonzero(line <= radius)
                order = near[np.argsort(line[near], kind="stable")]
                total += len(order)
                starts.append(total)
                rows.append(order)
                found.append(line[order])
            refuse_memory(f"{total:,} neighbours within {radius:g}", 16.0 * total, "take a smaller radius")
        empty = np.empty(0)
        return (
            np.array(starts, dtype=np.int64),
            np.concatenate(rows).astype(np.int64) if rows else empty.astype(np.int64),
            np.concatenate(found) if found else empty,
        )

    def _blocks(self, Q: Any) -> Any:
        """Yield the first query and the distances of each block of queries."""
        step = max(1, BLOCK // max(self.n_rows, 1))
        for start in range(0, Q.shape[0], step):
            yield start, np.array(self.metric.distances(Q[start : start + step], self.X), dtype=np.float64)

    def _compiled(self, Q: Any, k: int, left_out: IndexArray | None) -> tuple[Array, IndexArray]:
        """Search by Euclidean distance; rows far from 1 in size are scaled by a power of two, which is
        exact.
        """
        X, Q = _alike(self.X, Q)
        if X.dtype == np.float32 and not 1e-15 <= max(_largest(X), _largest(Q)) <= 1e15:
            X, Q = X.astype(np.float64), Q.astype(np.float64)  # holds the squares of all of them
        scale = _scale(X, Q)
        small = min(_smallest_entry(X), _smallest_entry(Q)) * scale < LOST
        whole = X, Q
        if scale != 1.0:
            X, Q = X * X.dtype.type(scale), Q * Q.dtype.type(scale)
        absent = None if left_out is None else np.ascontiguousarray(left_out, dtype=np.int64)
        square, index = _loops.nearest_rows(X, Q, k, absent, _middle(X))
        distance = np.sqrt(square) / scale
        # Squares that differ in their last bit may have one root: such ties, too, go by number.
        tied = ((distance[:, 1:] == distance[:, :-1]) & (index[:, 1:] < index[:, :-1])).any(axis=1)
        for i in np.flatnonzero(tied):
            index[i] = index[i, np.lexsort((index[i], distance[i]))]
        for i in np.flatnonzero((square < SHORT).any(axis=1)) if small else ():
            line = _far_apart(whole[1][[i]], whole[0])
            if left_out is not None:
                line[left_out[i]] = np.inf
            index[i] = np.argsort(line, kind="stable")[:k]
            distance[i] = line[index[i]]
        return distance, index


def _smallest(block: Array, k: int) -> tuple[Array, IndexArray]:
    """Return the k smallest of each line and their places; of equal ones the first."""
    if k < block.shape[1]:
        kth = np.partition(block, k - 1, axis=1)[:, k - 1]
        out = np.empty((len(block), k), dtype=np.int64)
        for i, line in enumerate(block):
            near = np.flatnonzero(line <= kth[i])
            out[i] = near[np.argsort(line[near], kind="stable")][:k]
    else:
        out = np.argsort(block, axis=1, kind="stable").astype(np.int64)
    return np.take_along_axis(block, out, axis=1), out


def _alike(X: Any, Q: Any) -> tuple[Any, Any]:
    """Return both sides dense or both CSR, in the wider of their formats."""
    wide = np.result_type(X.dtype, Q.dtype)
    if sp.issparse(X) != sp.issparse(Q):
        X, Q = (sp.csr_array(X), Q) if sp.issparse(Q) else (X, sp.csr_array(Q))
    return X.astype(wide, copy=False), Q.astype(wide, copy=False)


def _scale(X: Any, Q: Any) -> float:
    """Return a power of two that brings the largest entry near 1 where squares would over- or underflow."""
    largest = max(_largest(X), _largest(Q))
    if largest == 0.0 or 1e-100 <= largest <= 1e100:
        return 1.0
    # The power for the smallest numbers of all would itself be infinite.
    return float(2.0 ** min(np.finfo(np.float64).maxexp - 2, -int(np.frexp(largest)[1])))


def _smallest_entry(X: Any) -> float:
    """Return the smallest magnitude that is not 0, or infinity."""
    values = np.abs(X if isinstance(X, np.ndarray) else X.data)
    return float(np.min(values, where=values > 0.0, initial=np.inf))


def _middle(X: Any) -> Array | None:
    """Return the medians of the columns of some rows, evenly spaced: a row far away does not move them."""
    if sp.issparse(X):
        return None
    return np.asarray(np.median(X[:: max(1, X.shape[0] // SEEN)], axis=0), dtype=np.float64)


def _far_apart(q: Any, X: Any) -> Array:
    """Return the distances of one row from all, where no square over- or underflows."""
    unit = 0.5 if _largest(X) > 1.0 else 1.0  # halves of large numbers have a finite difference
    difference = np.abs(plain(q) * unit - plain(X) * unit)
    largest = difference.max(axis=1, initial=0.0)
    ratio = difference / np.where(largest > 0.0, largest, 1.0)[:, None]
    return np.asarray(largest * np.sqrt((ratio**2).sum(axis=1)) / unit)


def _largest(X: Any) -> float:
    values = X if isinstance(X, np.ndarray) else X.data
    return float(np.abs(values).max(initial=0.0))
