"""Distances of all pairs with few rows at a time in the format of the metric, which is dense float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.neighbors.metrics import Metric
from empirisk.typing import Array

__all__ = ["pair_distances"]

# Numbers of a tile of rows that are made dense and float64: 32 MiB.
TILE = 1 << 22


def pair_distances(metric: Metric, A: Any, B: Any) -> Array:
    """Return the distances of all pairs of rows, shape (n, m), in float64.

    No more than 32 MiB of either side are made dense and float64 at a time, so that sparse rows and float32
    stay what they are; the answer has the bits of ``metric.distances``.

    Examples
    --------
    >>> from empirisk.neighbors import metric_of
    >>> pair_distances(metric_of("manhattan"), np.zeros((1, 2)), np.array([[3.0, 4.0]]))
    array([[7.]])
    """
    n, m = A.shape[0], B.shape[0]
    tile = max(1, TILE // max(1, B.shape[1]))
    if metric.precomputed or (n <= tile and m <= tile):
        return np.asarray(metric.distances(A, B), dtype=np.float64)
    out = np.empty((n, m))
    for i in range(0, n, tile):
        some = A[i : i + tile]
        for j in range(0, m, tile):
            out[i : i + tile, j : j + tile] = metric.distances(some, B[j : j + tile])
    return out
