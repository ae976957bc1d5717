"""Graphs of rows: each with its nearest ones, or with all that are near."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.sparse_cells import short_indices
from empirisk.estimators.checks import check_choice, check_count, check_number
from empirisk.graphs.base import index_of
from empirisk.graphs.joined import SYMMETRIC, joined
from empirisk.neighbors import ALGORITHMS, Index
from empirisk.typing import Array, IndexArray

__all__ = ["graph_of", "kneighbors_graph", "radius_graph"]

MODES = {"connectivity": False, "distance": True}


def kneighbors_graph(
    X: Any,
    n_neighbors: int,
    *,
    mode: str = "connectivity",
    metric: Any = "euclidean",
    algorithm: str = "auto",
    symmetric: str = "no",
) -> sp.csr_array:
    """Return the graph that joins each row with its nearest other rows, as a sparse matrix.

    Parameters
    ----------
    X : array, data frame, list of rows or sparse matrix, shape (n, p)
        Finite rows.
    n_neighbors : int
        Edges that leave each row, from 1 to n - 1.
    mode : {"connectivity", "distance"}, default "connectivity"
        Whether an edge holds 1, or the distance of its rows.
    metric : str, Metric or callable, default "euclidean"
    algorithm : {"auto", "brute", "kd_tree"}, default "auto"
        As in :class:`empirisk.KNeighborsClassifier`.
    symmetric : {"no", "either", "both"}, default "no"
        Keep edges as they are, those that one of the two rows asks for, or those that both ask for.

    Returns
    -------
    csr_array, shape (n, n)
        Edges of distance 0 are stored.

    Raises
    ------
    ValueError
        When there are not so many other rows.

    Examples
    --------
    >>> kneighbors_graph(np.array([[0.0], [1.0], [3.0]]), 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    k = check_count("n_neighbors", n_neighbors, 1)
    index = _index(X, metric, algorithm)
    n = index.n_rows
    distance, rows = index.nearest(index.X, k, np.arange(n))
    graph = graph_of(np.arange(n + 1) * k, rows.ravel(), distance.ravel(), n, mode)
    return joined(graph, check_choice("symmetric", symmetric, SYMMETRIC))


def radius_graph(
    X: Any,
    radius: float,
    *,
    mode: str = "connectivity",
    metric: Any = "euclidean",
    algorithm: str = "auto",
) -> sp.csr_array:
    """Return the graph that joins all rows at a distance of at most `radius`; it is symmetric.

    Parameters
    ----------
    X : array, data frame, list of rows or sparse matrix, shape (n, p)
        Finite rows.
    radius : float
        Largest distance of an edge, >= 0.
    mode : {"connectivity", "distance"}, default "connectivity"
        Whether an edge holds 1, or the distance of its rows.
    metric : str, Metric or callable, default "euclidean"
    algorithm : {"auto", "brute", "kd_tree"}, default "auto"
        As in :class:`empirisk.KNeighborsClassifier`.

    Returns
    -------
    csr_array, shape (n, n)
        No row is joined with itself; edges of distance 0 are stored.

    Examples
    --------
    >>> radius_graph(np.array([[0.0], [1.0], [3.0]]), 1.0, mode="distance").toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    radius = check_number("radius", radius, 0.0)
    index = _index(X, metric, algorithm)
    return graph_of(*index.within_others(radius), index.n_rows, mode)


def graph_of(starts: IndexArray, rows: IndexArray, distance: Array, n: int, mode: str) -> sp.csr_array:
    """Return the edges of query i to ``rows[starts[i]:starts[i + 1]]`` as a sparse matrix, shape (m, n)."""
    value = distance if check_choice("mode", mode, MODES) else np.ones_like(distance)
    graph = sp.csr_array((value, rows, starts), shape=(len(starts) - 1, n))
    graph.sort_indices()
    return short_indices(graph)


def _index(X: Any, metric: Any, algorithm: str) -> Index:
    """Return the checked rows, ready to be searched."""
    check_choice("algorithm", algorithm, dict.fromkeys(ALGORITHMS))
    return index_of(X, metric, algorithm)
