"""Checks of what the formulas are given."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from empirisk.typing import Array

__all__ = ["check_design", "count", "non_negative"]


def non_negative(name: str, value: Any) -> float:
    """Return the value as a float; it must be a finite number >= 0."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 <= float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number >= 0, got {value!r}")
    return float(value)


def count(name: str, value: Any, low: int) -> int:
    """Return the value as an int; it must be a whole number that is at least `low`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
        raise ValueError(f"{name} must be a whole number >= {low}, got {value!r}")
    return int(value)


def check_design(rows: Any) -> Array:
    """Return a finite matrix with rows and columns."""
    X: Array = np.asarray(rows, dtype=np.float64)
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"X must be a matrix of n rows and p columns, got shape {X.shape}")
    if not np.isfinite(X).all():
        row, column = np.argwhere(~np.isfinite(X))[0]
        raise ValueError(f"X holds {X[row, column]} in row {row}, column {column}")
    return X
