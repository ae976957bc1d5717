"""The epsilon-neighbourhood graph: an edge between all rows that are near."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from empirisk.graphs.base import different, index_of, number_of
from empirisk.graphs.counted import copies_of
from empirisk.graphs.edge_weights import bandwidth_of, check_weights_rule, weighted
from empirisk.neighbors import Index

__all__ = ["RadiusGraph"]


@dataclass(frozen=True)
class RadiusGraph:
    """``w_ij > 0`` where x_i and x_j are at a distance of at most `radius`.

    Parameters
    ----------
    radius : float > 0 or None, default None
        The epsilon of the graph; None is the smallest one at which every row is joined with a different one,
        which is the largest distance of a row to its nearest one that is not equal to it.
    weights : {"binary", "gaussian"}, default "binary"
        Edges weigh 1, or ``exp(-d^2 / (2 bandwidth^2))`` of their length d.
    bandwidth : float or "auto", default "auto"
        As in :class:`NearestNeighborGraph`.
    metric : str, Metric or callable, default "euclidean"

    Raises
    ------
    ValueError
        For parameters out of range.
    MemoryError
        Where the edges do not fit; how many there are is estimated before.

    Notes
    -----
    Lyon notes, definition 20.

    Examples
    --------
    >>> RadiusGraph(1.5).matrix(np.array([[0.0], [1.0], [3.0]])).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """

    radius: float | None = None
    weights: str = "binary"
    bandwidth: float | str = "auto"
    metric: Any = "euclidean"
    name: ClassVar[str] = "epsilon"
    counts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.radius is not None:
            number_of("radius", self.radius)
        check_weights_rule(self.weights, self.bandwidth)

    def matrix(self, X: Any, sample_weight: Any = None) -> sp.csr_array:
        """Return the weights as a sorted CSR matrix, shape (n, n)."""
        index = index_of(X, self.metric)
        n, radius = index.n_rows, self.radius
        count = copies_of(sample_weight, n)
        if radius is None:
            radius = _smallest_radius(index)
        starts, rows, distance = index.within_others(radius)
        graph = sp.csr_array((distance, rows, starts), shape=(n, n))
        graph.sort_indices()
        width = bandwidth_of(index, self.bandwidth, count) if self.weights == "gaussian" else 1.0
        return weighted(graph, self.weights, width)


def _smallest_radius(index: Index) -> float:
    """Return the largest distance of a row to the nearest one that differs, 0 where all rows are equal."""
    n = index.n_rows
    near = index.nearest(index.X, 1, np.arange(n))[0] if n > 1 else np.zeros((1, 1))
    if not near.all():
        rows = different(index)
        n = rows.n_rows
        near = rows.nearest(rows.X, 1, np.arange(n))[0] if n > 1 else np.zeros((1, 1))
    return float(near.max())
