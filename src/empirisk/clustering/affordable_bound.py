"""The lower bound on the k-means optimum that costs little beside the search for the clusters.

What a fit and a bound cost is estimated from shapes and passes over the rows alone, never from a clock, so
that the same rows have the same certificate on every machine.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.clustering.axis_bound import axis_bound
from empirisk.typing import Array

__all__ = ["affordable_axes", "affordable_bound", "bound_along"]

SHARE = 0.1  # of the cost of the search
MOST_AXES = 16
# Nanoseconds of one core (AVX-512) where `python -m bench.kmeans_bound` was run; only their ratios matter.
CALL, ROW, PRODUCT = 1.5e6, 8.0, 0.04  # of any fit, of a row in a pass, of a column of a row and a centre
ANY, CELL, SCATTER, VECTORS = 1.2e5, 12.0, 0.08, 0.13  # of any bound, of n p, of n p r, of r^3
AXIS, ENTRY = 1.5e5, 5.0  # of any axis, of a number in one layer of the dynamic program


def affordable_axes(n: int, p: int, n_clusters: int, passes: int) -> int | None:
    """Return the most axes, up to 16, whose bound costs a tenth of a fit at most; None where none does.

    Parameters
    ----------
    n, p : int
        Rows and columns.
    n_clusters : int
        K.
    passes : int
        How often the fit has read the rows.

    Returns
    -------
    int or None
        0 is the spectral bound alone, which proves something in K columns and more; in fewer, None stands in
        its place.

    Examples
    --------
    >>> affordable_axes(150, 4, 3, 20), affordable_axes(100_000, 16, 8, 900), affordable_axes(150, 2, 3, 20)
    (0, 1, None)
    """
    rank = min(n, p)
    fit = CALL + passes * n * (ROW + PRODUCT * n_clusters * p)
    spectral = ANY + n * p * (CELL + SCATTER * rank) + VECTORS * rank**3
    axis = AXIS + ENTRY * n_clusters * n * math.log2(n + 1.0)
    axes = min(MOST_AXES, rank, math.floor((SHARE * fit - spectral) / axis))
    return axes if axes > 0 or (axes == 0 and rank >= n_clusters) else None


def affordable_bound(X: Any, weight: Array | None, n_clusters: int, passes: int) -> tuple[float, int] | None:
    """Return a lower bound on J and the axes that proved it; None where it would cost much, or says nothing.

    Parameters
    ----------
    X : array or CSR matrix, shape (n, p)
        Rows whose squares can be summed; sparse ones have no affordable bound.
    weight : array, shape (n,), optional
        Weights >= 0, not all 0; None means ones.
    n_clusters, passes : int
        As in :func:`affordable_axes`; one cluster needs no bound.
    """
    if n_clusters == 1 or not isinstance(X, np.ndarray):
        return None
    live = len(X) if weight is None else int(np.count_nonzero(weight))
    axes = affordable_axes(live, X.shape[1], n_clusters, passes)
    return None if axes is None else (bound_along(X, weight, n_clusters, axes), axes)


def bound_along(X: Array, weight: Array | None, n_clusters: int, axes: int) -> float:
    """Return a lower bound on ``J = (1/S) sum_i s_i ||x_i - c||^2`` of any K centres, by so many axes.

    Parameters
    ----------
    X, weight, n_clusters
        As in :func:`affordable_bound`.
    axes : int
        0 is the spectral bound.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [2.0, 1.0], [50.0, 0.0], [52.0, 1.0]])
    >>> round(bound_along(X, None, 2, 2), 3)  # J is 1.25
    1.001
    """
    live = slice(None) if weight is None else weight > 0.0
    rows = X[live].astype(np.float64)
    mass = np.ones(len(rows)) if weight is None else weight[live]
    return axis_bound(rows - rows[0], n_clusters, mass, n_axes=axes) / float(mass.sum())
