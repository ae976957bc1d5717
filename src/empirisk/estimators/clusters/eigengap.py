"""How many clusters a graph has, by the largest gap between its smallest eigenvalues, and how stable that is.

von Luxburg 2007, Statistics and Computing 17, section 8.3 (the eigengap).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.estimators.clusters.spectral_embedding import smallest, without
from empirisk.graphs import adjacency, components, isolated
from empirisk.typing import Array, IndexArray

__all__ = ["GapChoice", "by_gap", "resampled"]

# The share of the rows that a resample keeps, without replacement: copies would be neighbours of themselves.
SHARE = 0.8


@dataclass(frozen=True, eq=False)
class GapChoice:
    """A number of clusters by the eigengap.

    Parameters
    ----------
    chosen : int
        The K whose gap is the largest, the first of several.
    values : array
        The eigenvalues that were compared.
    """

    chosen: int
    values: Array


def by_gap(values: Array) -> int:
    """Return the K in 1, 2, ... for which ``lambda_(K+1) - lambda_K`` is largest, the first of several.

    Examples
    --------
    >>> by_gap(np.array([0.0, 0.01, 0.02, 0.5, 0.6]))
    3
    """
    return int(np.argmax(np.diff(values))) + 1


def choice(W: Any, most: int, normalised: bool, tol: float, max_iter: int) -> GapChoice:
    """Return K from 1 to `most` by the gap of the eigenvalues of a graph without isolated vertices."""
    n = W.shape[0]
    if n < 3:
        return GapChoice(1, np.zeros(1))
    found = smallest(W, min(most, n - 1) + 1, normalised, tol, max_iter)
    return GapChoice(by_gap(found.values), found.values)


def resampled(
    X: Any, graph: Callable[[Any], Any], bridge: Callable[[Any, Any], Any],
    most: int, normalised: bool, tol: float, max_iter: int, times: int,
    seed: int,
) -> IndexArray:  # fmt: skip
    """Return the choices of K on random parts of the rows, four fifths each, in rising order.

    Parameters
    ----------
    X : array or CSR, shape (n, p)
        Rows.
    graph : callable
        Rows to weights, by the same rule as in the fit.
    bridge : callable
        Numbers of rows and their weights to weights of a connected graph.
    most : int
        Largest K.
    normalised, tol, max_iter
        As in :func:`smallest`.
    times : int
        Parts that are drawn.
    seed : int
        What they are drawn from.
    """
    rng, n, out = np.random.default_rng(seed), X.shape[0], []
    for _ in range(times):
        rows = np.sort(rng.choice(n, max(2, round(SHARE * n)), replace=False))
        W = adjacency(graph(X[rows]))
        apart = isolated(W)
        W = without(W, apart)
        if W.shape[0] > 2 and components(W)[0] > most:
            W = bridge(np.delete(rows, apart), W)
        out.append(choice(W, most, normalised, tol, max_iter).chosen)
    return np.sort(np.array(out, dtype=np.intp))
