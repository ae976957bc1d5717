"""Scores of rows some of whose columns are replaced by those of other rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from empirisk.data.seeds import Seed, generator_of
from empirisk.typing import Array, IndexArray

__all__ = ["chosen_rows", "replaced_scores"]

# Numbers of a block of replaced rows: 2 MB, which stay in a cache until they are read.
BLOCK = 1 << 18


def replaced_scores(score: Callable[[Array], Array], X: Array, columns: list[int], values: Array) -> Array:
    """``score(X with X[r, columns] = values[g])`` for all g and r, shape (G, n, k).

    Parameters
    ----------
    score : callable
        From rows (m, p) to scores (m, k).
    X : array, shape (n, p)
        Rows.
    columns : list of int
        What is replaced.
    values : array, shape (G, len(columns))
        By what.
    """
    n, p = X.shape
    found = []
    step = max(1, BLOCK // max(n * p, 1))
    for first in range(0, len(values), step):
        part = values[first : first + step]
        rows = np.tile(X, (len(part), 1))
        rows[:, columns] = np.repeat(part, n, axis=0)
        found.append(score(rows).reshape(len(part), n, -1))
    return np.concatenate(found)


def chosen_rows(n: int, most: int, random_state: Seed) -> IndexArray:
    """All row numbers, or `most` of them drawn without replacement, in order."""
    if n <= most:
        return np.arange(n)
    return np.sort(generator_of(random_state).choice(n, most, replace=False))
