"""How far random features are from their kernel: a mean over pairs of rows, with its interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from empirisk.data.brief import Brief
from empirisk.typing import Array

__all__ = ["EntryError", "entry_error"]

# Pairs that are compared, and rows whose features stand in memory at a time.
PAIRS, ROWS = 2000, 250


@dataclass(frozen=True, repr=False)
class EntryError(Brief):
    """The root of the mean of ``(z(x) . z(x') - k(x, x'))^2`` over pairs of rows, for the features drawn.

    Parameters
    ----------
    rms : float
        Estimate, in the unit of the kernel.
    low, high : float
        Its interval: Student's t for the mean of squares, then the root.
    level : float
        Chance that the interval covers, over draws of pairs and up to the normal approximation.
    n : int
        Pairs, drawn with the weights as chances.
    """

    rms: float
    low: float
    high: float
    level: float
    n: int


def entry_error(
    features: Callable[[Any], Array],
    exact: Callable[[Any, Any], Array],
    X: Any,
    weight: Array,
    rng: np.random.Generator,
    level: float = 0.95,
) -> EntryError:
    """Return the error of features on pairs of rows.

    Parameters
    ----------
    features : callable
        Rows to features.
    exact : callable
        Two blocks of rows to the values of the kernel for rows at the same place.
    X, weight
        Rows to draw from, and their weights.
    rng : Generator
    level : float, default 0.95
    """
    total = np.cumsum(weight)
    one, two = np.searchsorted(total, rng.random((2, PAIRS)) * total[-1], side="right")
    squares = np.empty(PAIRS)
    for start in range(0, PAIRS, ROWS):
        A, B = X[one[start : start + ROWS]], X[two[start : start + ROWS]]
        close = np.einsum("ij,ij->i", features(A), features(B))
        squares[start : start + ROWS] = (close - exact(A, B)) ** 2
    middle, spread = float(squares.mean()), float(squares.std(ddof=1)) / np.sqrt(PAIRS)
    half = float(stats.t.ppf(0.5 + 0.5 * level, PAIRS - 1)) * spread
    low, high = np.sqrt(max(middle - half, 0.0)), np.sqrt(middle + half)
    return EntryError(float(np.sqrt(middle)), float(low), float(high), level, PAIRS)
