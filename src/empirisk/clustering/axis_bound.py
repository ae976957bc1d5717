"""A lower bound on the k-means optimum from principal axes: one at a time, and what is left of many."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.clustering.one_dimensional import best_line_clusters
from empirisk.data.table import read_dense
from empirisk.data.threads import for_rows

__all__ = ["axis_bound"]

_EPS = 2.0**-52


def axis_bound(X: Any, n_clusters: int, weight: Any, *, n_axes: int = 16) -> float:
    """Return a lower bound on the k-means optimum from the principal axes of the rows.

    With ``l_1 >= l_2 >= ...`` the eigenvalues of the weighted scatter matrix and ``D_K(j)`` the optimum of
    the scores on axis j alone,

        ``inertia >= max_m  D_K(1) + ... + D_K(m) + l_(m + K) + l_(m + K + 1) + ...``

    Proof.  The inertia of a clustering is the sum of its inertias along orthogonal axes (Pythagoras).  Along
    each of the first m it is at least ``D_K``.  In the space of the others it is their scatter less that of
    the means, whose matrix has rank K - 1 at most and so holds at most the K - 1 largest eigenvalues (Fan);
    m = 0 is the spectral bound.

    Parameters
    ----------
    X : array, data frame, list of rows or sparse matrix, shape (n, p)
        Finite rows; sparse ones are made dense.
    n_clusters : int
        K >= 1.
    weight : array, shape (n,)
        Weights > 0.
    n_axes : int, default 16
        The largest m that is tried.

    Returns
    -------
    float
        The bound, less ``(n + p) eps`` times the scatter, for what rounding can do to scatter and scores.

    Notes
    -----
    Time O(n p min(n, p) + m K n log n).

    References
    ----------
    H. Zha, X. He, C. Ding, M. Gu and H. Simon, Spectral relaxation for k-means clustering, Advances in Neural
    Information Processing Systems 14, 2001.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [2.0, 1.0], [50.0, 0.0], [52.0, 1.0]])
    >>> [round(axis_bound(X, k, np.ones(4)), 3) for k in (1, 2)]  # the optima are 2505 and 5
    [2505.0, 4.005]
    """
    X, weight = read_dense(X), np.asarray(weight, dtype=np.float64)
    n, p = X.shape
    rows = X - np.average(X, axis=0, weights=weight)
    rows = rows - np.average(rows, axis=0, weights=weight)
    scaled = rows * np.sqrt(weight)[:, None]
    with for_rows(min(n, p)):
        if p <= n:
            values, axes = np.linalg.eigh(scaled.T @ scaled)
            scores = rows @ axes[:, ::-1]
        else:
            values, left = np.linalg.eigh(scaled @ scaled.T)
            long = left[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0))
            scores = long / np.sqrt(weight)[:, None]
    values = np.maximum(values[::-1], 0.0)
    tail = np.append(np.cumsum(values[::-1])[::-1], np.zeros(n_clusters))
    lost = (n + p) * _EPS * float(values.sum())
    best, along = float(tail[n_clusters - 1]), 0.0
    for m in range(min(n_axes, len(values))):
        on_axis = best_line_clusters(scores[:, m], n_clusters, weight)
        along += on_axis.inertia - on_axis.rounding
        best = max(best, along + float(tail[min(m + n_clusters, len(values))]))
    return float(max(0.0, best - lost))
