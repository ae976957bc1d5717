"""The nearest training rows of each of them that are neither the row itself nor a copy of it."""

from __future__ import annotations

import numpy as np

from empirisk.neighbors import Index
from empirisk.typing import Array, IndexArray

__all__ = ["nearest_without_copies"]


def nearest_without_copies(index: Index, k: int, kind: IndexArray) -> tuple[Array, IndexArray]:
    """Return distances and numbers of the k nearest rows of another kind for each row, (n, k), nearest first.

    Copies ask once, for k rows and as many more as they are: what is left without them are k rows at least,
    in the order of one search.

    Parameters
    ----------
    index : Index
        The n rows.
    k : int
    kind : int array, shape (n,)
        Rows of one kind are copies of each other.

    Raises
    ------
    ValueError
        When a row has fewer than k others.

    Notes
    -----
    One search where no row has a copy, else one for each power of two of the number of copies, so that all of
    them together look for at most k rows a kind and two for each row: a row that is there very often costs
    no more than as many different ones.

    Examples
    --------
    >>> from empirisk.neighbors import metric_of
    >>> index = Index(np.array([[0.0], [0.0], [1.0], [3.0]]), metric_of("euclidean"))
    >>> nearest_without_copies(index, 1, np.array([0, 0, 1, 2]))[1].tolist()
    [[2], [2], [0], [2]]
    """
    n = index.n_rows
    _, first, group, size = np.unique(kind, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == n:
        return index.nearest(index.X, k, np.arange(n))
    if k > n - size.max():
        raise ValueError(
            f"n_neighbors = {k} asks for more rows than there are: {n - size.max()} other training rows "
            f"where one is left out together with its {size.max() - 1} copies; ask for fewer"
        )
    distance, found = np.empty((len(first), k)), np.empty((len(first), k), dtype=np.int64)
    doublings = np.ceil(np.log2(size)).astype(int)
    for power in np.unique(doublings):
        some = np.flatnonzero(doublings == power)
        asking = first[some]
        near, rows = index.nearest(index.X[asking], int(min(k + 2**power - 1, n - 1)), asking)
        others = np.argsort(kind[rows] == kind[asking][:, None], axis=1, kind="stable")[:, :k]
        distance[some] = np.take_along_axis(near, others, axis=1)
        found[some] = np.take_along_axis(rows, others, axis=1)
    return distance[group], found[group]
