"""The mutual k-nearest-neighbour graph: an edge where each of two rows is among the nearest of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from empirisk.graphs.nearest import NearestNeighborGraph

__all__ = ["MutualNeighborGraph"]


@dataclass(frozen=True)
class MutualNeighborGraph(NearestNeighborGraph):
    """``w_ij > 0`` where x_i is among the k nearest rows of x_j, and x_j among those of x_i.

    It joins regions of one density, and leaves rows isolated that no other row counts among its nearest.

    Parameters
    ----------
    n_neighbors : int, default 10
        k, from 1 to n - 1.
    weights : {"binary", "gaussian"}, default "binary"
        Edges weigh 1, or ``exp(-d^2 / (2 bandwidth^2))`` of their length d.
    bandwidth : float or "auto", default "auto"
        As in :class:`NearestNeighborGraph`.
    metric : str, Metric or callable, default "euclidean"

    Raises
    ------
    ValueError
        For parameters out of range, and where there are not k other rows.

    Notes
    -----
    Lyon notes, definition 22.

    Examples
    --------
    >>> import numpy as np
    >>> MutualNeighborGraph(1).matrix(np.array([[0.0], [1.0], [3.0]])).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """

    name: ClassVar[str] = "mutual_knn"
    _both: ClassVar[bool] = True
