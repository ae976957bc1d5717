"""The matrix of distances between all rows, with a forecast of its memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.memory import refuse_memory
from empirisk.estimators.clusters.merged_rows import check_distances
from empirisk.neighbors.metrics import Metric
from empirisk.neighbors.tiles import pair_distances
from empirisk.typing import Array

__all__ = ["distance_matrix", "distances_to"]

_BLOCK = 1 << 21  # distances that are computed at a time
_CALL = 1 << 22  # differences of eight lanes that one call of a loop takes at most
SMALLEST = 1e-150  # squares of smaller numbers lose their digits, or are 0
_LOOPS: dict[float | None, int] = {1.0: 1, 2.0: 2, math.inf: 0}  # powers of Minkowski that are compiled


def distance_matrix(X: Any, metric: Metric) -> Array:
    """Return the distances between all rows, shape (n, n), exactly symmetric.

    Parameters
    ----------
    X : array or CSR, shape (n, p)
        Rows; for given distances their matrix, which is returned itself once it is known to be symmetric.
    metric : Metric
        Taken to be symmetric unless the distances are given.

    Returns
    -------
    array, shape (n, n), C order
        float32 where the rows are, rounded from float64.

    Raises
    ------
    ValueError
        For distances that overflow, and for given ones that are not symmetric.
    MemoryError
        When the matrix does not fit, before it is begun.

    Notes
    -----
    O(n^2 p) for most metrics; each pair is computed once.
    """
    n = X.shape[0]
    if metric.precomputed:
        check_distances(X)
        return np.ascontiguousarray(X)
    dtype = X.dtype
    advice = "take a sample of the rows" if dtype == np.float32 else "give float32 rows (half) or fewer rows"
    refuse_memory(
        f"the matrix of distances of {n} rows", float(n) * n * dtype.itemsize + 32.0 * _BLOCK, advice
    )
    out = np.empty((n, n), dtype=dtype)
    power = _LOOPS.get(metric.power) if isinstance(X, np.ndarray) else None
    _refuse_vanishing(X, metric)
    columns = np.ascontiguousarray(X.T, dtype=np.float64) if power is not None else None
    step = max(1, (_CALL if power is not None else _BLOCK) // max(n * max(1, X.shape[1] // 8), 1))
    for begin in range(0, n, step):
        end = min(n, begin + step)
        if columns is not None and power is not None:
            _loops.row_distances(columns, power, begin, end, out)
        else:
            block = pair_distances(metric, X[begin:end], X[begin:])
            with np.errstate(over="ignore"):
                out[begin:end, begin:] = block
                out[begin:, begin:end] = block.T
        if not np.isfinite(out[begin:end, begin:].max()):
            i, j = (int(v) for v in np.argwhere(~np.isfinite(out[begin:end, begin:]))[0])
            raise ValueError(
                f"the distance of rows {begin + i} and {begin + j} overflows: divide X by a power of ten"
            )
    return out


def distances_to(X: Any, rows: Any, metric: Metric) -> Array:
    """Return the distances of all rows of X from a few rows, (n, K), in float64; a block of X at a time."""
    step = max(1, _BLOCK // max(1, X.shape[1]))
    blocks = (X[begin : begin + step] for begin in range(0, X.shape[0], step))
    return np.concatenate([metric.distances(block, rows) for block in blocks])


def _refuse_vanishing(X: Any, metric: Metric) -> None:
    """Refuse rows whose differences have squares of 0 without being 0: they would all be in one place."""
    data = X if isinstance(X, np.ndarray) else X.data
    top = float(np.abs(data).max(initial=0.0))
    if metric.power == 2.0 and 0.0 < top < SMALLEST:
        raise ValueError(
            f"X holds no number above {top:.3g}, so that squares of differences vanish: multiply X by a "
            "power of ten"
        )
