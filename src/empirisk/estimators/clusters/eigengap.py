"""How many clusters a graph has, by the largest gap between its smallest eigenvalues, and how stable that is.

von Luxburg 2007, Statistics and Computing 17, section 8.3 (the eigengap).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from empirisk.estimators.clusters.spectral_embedding import smallest
from empirisk.graphs import LaplacianOperator
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


def choice(operator: LaplacianOperator, most: int, tol: float, max_iter: int) -> GapChoice:
    """Return K from 1 to `most` by the gap of the eigenvalues of a graph without isolated vertices."""
    n = operator.n
    if n < 3:
        return GapChoice(1, np.zeros(1))
    found = smallest(operator, min(most, n - 1) + 1, tol, max_iter)
    return GapChoice(by_gap(found.values), found.values)


def resampled(choose: Callable[[IndexArray], int], n: int, times: int, seed: int) -> IndexArray:
    """Return the choices of K on random parts of n rows, four fifths each, in rising order.

    Parameters
    ----------
    choose : callable
        Numbers of rows to the K of their graph, by the same rule as in the fit.
    n : int
        Rows that count; one that counts several times is drawn with its copies.
    times : int
        Parts that are drawn.
    seed : int
        What they are drawn from.
    """
    rng = np.random.default_rng(seed)
    size = max(2, round(SHARE * n))
    drawn = [np.sort(rng.choice(n, size, replace=False)).astype(np.intp) for _ in range(times)]
    return np.sort(np.array([choose(rows) for rows in drawn], dtype=np.intp))
