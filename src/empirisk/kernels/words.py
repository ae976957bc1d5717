"""Widths of kernels by words: what "scale" and "median" mean for the rows of a fit."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.kernels.pairs import squared_distances
from empirisk.typing import Array

__all__ = ["check_width", "gamma_of", "is_positive"]

# The median distance is one of these many rows at most, evenly spaced: its error is far below what matters.
MEDIAN_ROWS = 1000


def is_positive(value: Any, *, or_zero: bool = False) -> bool:
    """Return whether a value is a real number > 0 (or 0) that floating-point numbers hold, and no flag."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        number = float(value)
    except OverflowError:
        return False
    return math.isfinite(number) and (number > 0.0 or (or_zero and number == 0.0))


def check_width(name: str, gamma: Any, length_scale: Any) -> None:
    """Refuse two widths at once, unknown words and numbers that are none."""
    if gamma is not None and length_scale is not None:
        raise ValueError(f"the kernel {name!r} takes gamma or length_scale, not both")
    for key, value, words in (("gamma", gamma, ("scale", "median")), ("length_scale", length_scale, ())):
        if value is None or (isinstance(value, str) and value in words):
            continue
        shown = " or ".join([*(f'"{w}"' for w in words), "a finite number > 0"])
        if not is_positive(value):
            raise ValueError(f"{key} of the kernel {name!r} must be {shown}, got {value!r}")


def gamma_of(gamma: Any, X: Any, weight: Array | None) -> float:
    """Return gamma as a number: 1/(p variance) for "scale", 1/(2 median distance^2) for "median"."""
    if not isinstance(gamma, str | None):
        return float(gamma)
    live = np.ones(X.shape[0]) if weight is None else np.asarray(weight, dtype=np.float64)
    if gamma == "median":
        return 0.5 / _median_square(X[live > 0.0], live[live > 0.0])
    spread = _variance(X[live > 0.0], live[live > 0.0])
    return 1.0 / (X.shape[1] * spread) if 1e-305 < spread < np.inf else 1.0


def _median_square(rows: Any, weight: Array) -> float:
    """Return the squared median distance of pairs of different rows, a row of weight 2 counting as two
    rows.
    """
    step = max(1, rows.shape[0] // MEDIAN_ROWS)
    rows, weight = rows[::step], weight[::step]
    i, j = np.triu_indices(rows.shape[0], 1)
    squares, weights = squared_distances(rows)[i, j], weight[i] * weight[j]
    # Copies are at a distance of rounding, beside the largest.
    order = np.flatnonzero(squares > 1e-14 * squares.max(initial=0.0))
    if not len(order):
        return 1.0
    order = order[np.argsort(squares[order])]
    below = np.cumsum(weights[order])
    return float(squares[order[np.searchsorted(below, 0.5 * below[-1])]])


def _variance(X: Any, weight: Array) -> float:
    """Return the variance of all entries, a row of weight 2 counting as two rows."""
    share = weight / weight.sum() / X.shape[1]
    if not sp.issparse(X):
        mean = float(share @ X.sum(axis=1, dtype=np.float64))
        return float(share @ np.square(X - mean).sum(axis=1, dtype=np.float64))
    cells: Any = X
    mean = float(share @ np.asarray(cells.sum(axis=1)).ravel())
    square = float(share @ np.asarray(cells.multiply(cells).sum(axis=1)).ravel())
    return max(0.0, square - mean * mean)
