"""The k-nearest-neighbour graph: an edge where one of two rows is among the nearest of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from empirisk.graphs.base import count_of, index_of, refuse_copies
from empirisk.graphs.edge_weights import bandwidth_of, check_weights_rule, weighted
from empirisk.graphs.joined import joined

__all__ = ["NearestNeighborGraph"]


@dataclass(frozen=True)
class NearestNeighborGraph:
    """``w_ij > 0`` where x_i is among the k nearest rows of x_j, or x_j among those of x_i.

    Parameters
    ----------
    n_neighbors : int, default 10
        k, from 1 to n - 1.
    weights : {"binary", "gaussian"}, default "binary"
        Edges weigh 1, or ``exp(-d^2 / (2 bandwidth^2))`` of their length d.
    bandwidth : float or "auto", default "auto"
        Width of the Gaussian; ``"auto"`` is the median distance of a row to its k'-th nearest,
        ``k' = floor(log n) + 1``.
    metric : str, Metric or callable, default "euclidean"
        As in :class:`empirisk.KNeighborsClassifier`.

    Raises
    ------
    ValueError
        For parameters out of range, and where there are not k other rows.

    Notes
    -----
    Neighbours are found exactly; of rows at equal distances those with the smaller number are nearer.  Lyon
    notes, definition 21.

    Examples
    --------
    >>> NearestNeighborGraph(1).matrix(np.array([[0.0], [1.0], [3.0]])).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """

    n_neighbors: int = 10
    weights: str = "binary"
    bandwidth: float | str = "auto"
    metric: Any = "euclidean"
    name: ClassVar[str] = "knn"
    counts: ClassVar[bool] = False
    _both: ClassVar[bool] = False

    def __post_init__(self) -> None:
        count_of("n_neighbors", self.n_neighbors)
        check_weights_rule(self.weights, self.bandwidth)

    def matrix(self, X: Any, sample_weight: Any = None) -> sp.csr_array:
        """Return the weights as a sorted CSR matrix, shape (n, n); rows must count alike."""
        refuse_copies(sample_weight)
        index, k = index_of(X, self.metric), self.n_neighbors
        n = index.n_rows
        distance, rows = index.nearest(index.X, k, np.arange(n))
        graph = sp.csr_array((distance.ravel(), rows.ravel(), np.arange(n + 1) * k), shape=(n, n))
        graph.sort_indices()
        width = bandwidth_of(index, self.bandwidth) if self.weights == "gaussian" else 1.0
        return weighted(joined(graph, np.minimum if self._both else np.maximum), self.weights, width)
