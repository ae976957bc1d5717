"""How much an edge weighs: 1, or a Gaussian function of its length with a width that the rows tell.

The width follows von Luxburg 2007, Statistics and Computing 17, section 8: of the order of the distance of a
row to its k-th nearest neighbour, with k about log(n) + 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.sparse_cells import short_indices
from empirisk.graphs.base import different, number_of
from empirisk.neighbors import Index
from empirisk.typing import Array

__all__ = ["WEIGHTS", "bandwidth_of", "check_weights_rule", "gaussian", "weighted"]

WEIGHTS = ("binary", "gaussian")


def check_weights_rule(weights: Any, bandwidth: Any) -> None:
    """Refuse a rule of weights that is none, and a width that is neither ``"auto"`` nor a number > 0."""
    if weights not in WEIGHTS:
        raise ValueError(f"weights must be {' or '.join(map(repr, WEIGHTS))}, got {weights!r}")
    if bandwidth != "auto" or not isinstance(bandwidth, str):
        number_of("bandwidth", bandwidth)


def bandwidth_of(index: Index, bandwidth: float | str = "auto", count: Array | None = None) -> float:
    """Return the width of the Gaussian: a given one, or the median distance to the k-th nearest row.

    Here ``k = floor(log n) + 1``, at most n - 1.  Where that median is 0, because most rows stand k + 1 times
    in the table, it is the smallest of these distances that is positive; where none is, the median distance
    of a different row to the nearest other one, and 1 where there is none.

    Parameters
    ----------
    index : Index
        The rows, ready to be searched.
    bandwidth : float or "auto", default "auto"
    count : array, shape (n,), optional
        How often each row stands in the table; the answer is that of the table with its copies.
    """
    if not isinstance(bandwidth, str):
        return float(bandwidth)
    rows = index.n_rows
    count = np.ones(rows) if count is None else count
    n = float(count.sum())
    if n < 2.0:
        return 1.0
    k = min(n - 1.0, math.floor(math.log(n)) + 1.0)
    far = _far(index, k, count)
    middle = _median(far, count)
    if middle > 0.0:
        return middle
    if (far > 0.0).any():
        return float(far[far > 0.0].min())
    return _between_different(index)


def _far(index: Index, k: float, count: Array) -> Array:
    """Return the distance of each row to the k-th nearest other one, where its own copies are the first."""
    rows = index.n_rows
    most = min(rows - 1, math.ceil(k))
    if most < 1:
        return np.zeros(rows)
    distance, near = index.nearest(index.X, most, np.arange(rows))
    met = np.cumsum(np.column_stack([count - 1.0, count[near]]), axis=1)
    place = (met < k * (1.0 - 1e-12)).sum(axis=1)
    return np.asarray(np.column_stack([np.zeros(rows), distance])[np.arange(rows), np.minimum(place, most)])


def _median(values: Array, count: Array) -> float:
    """Return the median of values that occur so often, the mean of the two in the middle."""
    order = np.argsort(values, kind="stable")
    met = np.cumsum(count[order])
    half = 0.5 * met[-1]
    low, high = (min(int(np.searchsorted(met, half, side)), len(met) - 1) for side in ("left", "right"))
    return 0.5 * float(values[order[low]] + values[order[high]])


def _between_different(index: Index) -> float:
    """Return the median distance of a different row to the nearest other one; 1 where there are no others."""
    rows = different(index)
    n = rows.n_rows
    return float(np.median(rows.nearest(rows.X, 1, np.arange(n))[0])) if n > 1 else 1.0


def gaussian(distance: Array, width: float) -> Array:
    """``exp(-d^2 / (2 width^2))``, 0 where that is below the smallest double."""
    # The quotient first: squares of tiny or huge distances would leave the range of doubles.
    scaled = np.minimum(distance / width, 40.0)
    return np.where(distance / width > 38.5, 0.0, np.exp(-0.5 * scaled * scaled))


def weighted(graph: sp.csr_array, weights: str, width: float) -> sp.csr_array:
    """Return a graph of distances as a graph of weights; edges whose weight rounds to 0 are left out."""
    graph = graph.copy()
    graph.data = np.ones_like(graph.data) if weights == "binary" else gaussian(graph.data, width)
    graph.eliminate_zeros()
    return short_indices(graph)
