"""The fully connected graph: every two rows are joined, by a Gaussian function of their distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from empirisk.data.memory import refuse_memory
from empirisk.graphs.base import index_of
from empirisk.graphs.counted import copies_of
from empirisk.graphs.edge_weights import bandwidth_of, check_weights_rule, gaussian
from empirisk.neighbors.tiles import pair_distances
from empirisk.typing import Array

__all__ = ["GaussianGraph"]

# Numbers of a block of distances: 32 MiB.
BLOCK = 1 << 22


@dataclass(frozen=True)
class GaussianGraph:
    """``w_ij = exp(-d(x_i, x_j)^2 / (2 bandwidth^2))`` for i other than j, as a dense matrix.

    Parameters
    ----------
    bandwidth : float or "auto", default "auto"
        As in :class:`NearestNeighborGraph`.
    metric : str, Metric or callable, default "euclidean"

    Raises
    ------
    ValueError
        For parameters out of range.
    MemoryError
        Where ``8 n^2`` bytes are not free.

    Notes
    -----
    A row is not joined with itself: self-loops of weight 1 would cancel in L and add 1 to all degrees.  Lyon
    notes, definition 23.

    Examples
    --------
    >>> GaussianGraph(1.0).matrix(np.array([[0.0], [1.0], [3.0]])).round(3)
    array([[0.   , 0.607, 0.011],
           [0.607, 0.   , 0.135],
           [0.011, 0.135, 0.   ]])
    """

    bandwidth: float | str = "auto"
    metric: Any = "euclidean"
    name: ClassVar[str] = "gaussian"
    counts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_weights_rule("gaussian", self.bandwidth)

    def matrix(self, X: Any, sample_weight: Any = None) -> Array:
        """Return the weights as an array, shape (n, n); its two halves have the same bits."""
        index = index_of(X, self.metric)
        n = index.n_rows
        refuse_memory(
            f"the weights of all pairs of {n:,} rows", 8.0 * n * n + 4.0 * 8.0 * BLOCK,
            'take a sparse graph (affinity="knn"), or fewer rows',
        )  # fmt: skip
        width = bandwidth_of(index, self.bandwidth, copies_of(sample_weight, n))
        W = np.empty((n, n))
        step = max(1, BLOCK // n)
        for start in range(0, n, step):
            stop = min(n, start + step)
            columns = slice(start, n) if not index.metric.precomputed else slice(0, n)
            other = index.X[columns]
            distance = pair_distances(index.metric, index.X[start:stop], other)
            block = gaussian(distance[:, start:] if index.metric.precomputed else distance, width)
            W[start:stop, start:] = block
            W[start:, start:stop] = block.T
            # Within the block itself both halves were computed: one of them counts.
            square = W[start:stop, start:stop]
            upper = np.triu(square, 1)
            W[start:stop, start:stop] = upper + upper.T
        return W
