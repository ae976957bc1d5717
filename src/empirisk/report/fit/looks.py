"""The looks of a race: how many training rows each has, which rows these are, and what losses on few rows say
about all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["RACED_FOLDS", "TESTED", "look_sizes", "on_all_rows", "some_rows"]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
# Training rows of the first look at least and of the last at most, looks at most, and rows of a fit from
# which there is a race: fewer are fitted in no time.
FIRST, LAST, MOST, LEAST = 250, 3_000, 3, 3_000
RACED_FOLDS, TESTED = 2, 2_000  # folds of a look, and rows that each of them scores at most


def look_sizes(fewest: int) -> list[int]:
    """Return the training rows of the looks, each twice the one before, up to a quarter of a fit.

    Parameters
    ----------
    fewest : int
        Training rows of the smallest fold.

    Examples
    --------
    >>> look_sizes(20_000), look_sizes(3_200), look_sizes(9_000), look_sizes(1_000)
    ([750, 1500, 3000], [400, 800], [562, 1125, 2250], [])
    """
    sizes: list[int] = []
    size = min(LAST, fewest // 4)
    while fewest >= LEAST and size >= FIRST and len(sizes) < MOST:
        sizes.append(size)
        size //= 2
    return sizes[::-1]


def some_rows(rows: Rows, y: NDArray, n_classes: int, size: int, seed: int) -> Rows:
    """Return so many of the rows, in order: every class is among them, and all in about their shares.

    More rows of the same seed hold the fewer ones.

    Parameters
    ----------
    rows : int array
        Numbers of rows.
    y : array
        Targets of all rows.
    n_classes : int
        0 for a regression.
    size : int
    seed : int
    """
    order = np.random.default_rng(seed).permutation(rows)
    if n_classes:
        place = np.empty(order.size)
        for c in range(n_classes):
            own = np.flatnonzero(y[order] == c)
            place[own] = np.arange(own.size) / max(1, own.size)  # the first row of each class comes first
        order = order[np.argsort(place, kind="stable")]
    return np.sort(order[:size])


def on_all_rows(few: Floats, of_few: Floats, of_all: Floats) -> Floats:
    """Return losses of fits on few rows as they would be if they fell with more rows as those of another did.

    Rows without a loss get the mean difference to the other one.

    Parameters
    ----------
    few : array of shape (n, t)
        Losses of fits on few rows, NaN where none was scored.
    of_few, of_all : array of shape (n,)
        Losses of the other one, fitted on the same rows and on all.
    """
    gap = few - of_few[:, None]
    known = np.isfinite(gap)
    mean = np.sum(gap, axis=0, where=known) / np.maximum(1, known.sum(axis=0))
    return np.asarray(of_all[:, None] + np.where(known, gap, mean))
