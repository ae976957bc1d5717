"""Edges in both directions, from a graph whose edges have one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.sparse_cells import short_indices

__all__ = ["SYMMETRIC", "joined"]

SYMMETRIC: dict[str, Callable[..., Any] | None] = {"no": None, "either": np.maximum, "both": np.minimum}


def joined(graph: sp.csr_array, how: Callable[..., Any] | None) -> sp.csr_array:
    """Return the graph with edges in both directions, or in those that both rows ask for.

    Parameters
    ----------
    graph : csr_array, shape (n, n)
        Distances of edges; an edge that stands in both directions has one distance.
    how : callable or None
        A value of :data:`SYMMETRIC`: ``np.maximum`` for edges that one row asks for, ``np.minimum`` for those
        that both do, None to keep the edges as they are.

    Returns
    -------
    csr_array, shape (n, n)
        Sorted, with indices of 32 bits where they fit; edges of distance 0 stay stored, which sparse algebra
        would drop.

    Examples
    --------
    >>> one_way = sp.csr_array(np.array([[0.0, 2.0], [0.0, 0.0]]))
    >>> joined(one_way, np.maximum).toarray()
    array([[0., 2.],
           [2., 0.]])
    """
    if how is None:
        return short_indices(graph)
    n = graph.shape[0]
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    one, back = rows * n + graph.indices, graph.indices.astype(np.int64) * n + rows
    # Both directions have one value; of an edge that stands twice the first is taken.
    every, first = np.unique(np.concatenate([one, back]), return_index=True)
    value = np.concatenate([graph.data, graph.data])[first]
    kept = every if how is np.maximum else np.intersect1d(one, back)
    data = value[np.searchsorted(every, kept)]
    made = sp.csr_array((data, (kept // n, kept % n)), shape=(n, n))
    made.sort_indices()
    return short_indices(made)
