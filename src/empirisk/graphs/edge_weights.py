"""How much an edge weighs: 1, or a Gaussian function of its length with a width that the rows tell.

The width follows von Luxburg 2007, Statistics and Computing 17, section 8: of the order of the distance of a
row to its k-th nearest neighbour, with k about log(n) + 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.graphs.base import number_of
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


def bandwidth_of(index: Index, bandwidth: float | str = "auto") -> float:
    """Return the width of the Gaussian: a given one, or the median distance to the k-th nearest row.

    Here ``k = floor(log n) + 1``, at most n - 1.  Where that median is 0, because most rows stand k + 1 times
    in the table, it is the smallest of these distances that is positive, and 1 where none is.
    """
    if not isinstance(bandwidth, str):
        return float(bandwidth)
    n = index.n_rows
    if n < 2:
        return 1.0
    k = min(n - 1, math.floor(math.log(n)) + 1)
    far = index.nearest(index.X, k, np.arange(n))[0][:, -1]
    middle = float(np.median(far))
    if middle > 0.0:
        return middle
    return float(far[far > 0.0].min(initial=math.inf)) if (far > 0.0).any() else 1.0


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
    return graph
