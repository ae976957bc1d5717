"""Widths of kernels by words: what "scale" and "median" mean for the rows of a fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.kernels.pairs import squared_distances
from empirisk.typing import Array

__all__ = ["check_width", "gamma_of"]

# The median distance is one of these many rows at most, evenly spaced: its error is far below what matters.
MEDIAN_ROWS = 1000


def check_width(name: str, gamma: Any, length_scale: Any) -> None:
    """Refuse two widths at once, unknown words and numbers that are none."""
    if gamma is not None and length_scale is not None:
        raise ValueError(f"the kernel {name!r} takes gamma or length_scale, not both")
    for key, value, words in (("gamma", gamma, ("scale", "median")), ("length_scale", length_scale, ())):
        if value is None or (isinstance(value, str) and value in words):
            continue
        shown = " or ".join([*(f'"{w}"' for w in words), "a finite number > 0"])
        if isinstance(value, str) or not (np.isfinite(value) and value > 0.0):
            raise ValueError(f"{key} of the kernel {name!r} must be {shown}, got {value!r}")


def gamma_of(gamma: Any, X: Any, weight: Array | None) -> float:
    """Return gamma as a number: 1/(p variance) for "scale", 1/(2 median distance^2) for "median"."""
    if not isinstance(gamma, str | None):
        return float(gamma)
    rows = X if weight is None else X[np.asarray(weight) > 0.0]
    if gamma == "median":
        step = max(1, rows.shape[0] // MEDIAN_ROWS)
        some = rows[::step]
        squares = squared_distances(some)[np.triu_indices(some.shape[0], 1)]
        middle = float(np.median(squares[squares > 0.0])) if (squares > 0.0).any() else 1.0
        return 0.5 / middle
    spread = _variance(rows)
    return 1.0 / (X.shape[1] * spread) if spread > 0.0 else 1.0


def _variance(X: Any) -> float:
    if not sp.issparse(X):
        return float(np.var(X, dtype=np.float64))
    cells: Any = X
    size = cells.shape[0] * cells.shape[1]
    mean = float(cells.sum()) / size
    square = float(cells.multiply(cells).sum()) / size
    spread: float = square - mean * mean
    return max(0.0, spread)
