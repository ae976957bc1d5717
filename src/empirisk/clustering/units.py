"""Rows in a unit in which their squares neither overflow nor vanish: a power of two, which loses no digit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.typing import Array

__all__ = ["in_unit", "refuse_extreme", "unit_exponent"]

# Exponents of the largest number for which squares, their sums and their differences are safe.
SAFE = {np.dtype(np.float32): 40, np.dtype(np.float64): 250}

LARGEST_EXPONENT = 500  # 2^1000 is a float64, and so are sums of many such squares


def unit_exponent(X: Any, *others: Array) -> int:
    """Return e such that ``X / 2^e`` can be squared: 0 wherever the numbers are of ordinary size.

    Examples
    --------
    >>> unit_exponent(np.array([[1e-3, 50.0]])), unit_exponent(np.array([[2.0**300]]))
    (0, 300)
    """
    values = X if isinstance(X, np.ndarray) else X.data
    tops = [max(float(v.max()), -float(v.min())) for v in (values, *others) if v.size]
    top = max(tops, default=0.0)
    if top == 0.0 or not math.isfinite(top):
        return 0
    exponent = math.frexp(top)[1] - 1
    return 0 if abs(exponent) <= SAFE[np.dtype(X.dtype)] else exponent


def refuse_extreme(X: Any) -> None:
    """Refuse rows whose inertia is no float64: rows of size 1e151 and more, or all below 1e-151.

    Examples
    --------
    >>> refuse_extreme(np.array([[1e200]]))
    Traceback (most recent call last):
    ...
    ValueError: X holds numbers of size 1e+200, whose squares overflow; rescale it
    """
    exponent = unit_exponent(X)
    if abs(exponent) > LARGEST_EXPONENT:
        values = X if isinstance(X, np.ndarray) else X.data
        size = max(float(values.max()), -float(values.min()))
        word = "overflow" if exponent > 0 else "vanish"
        raise ValueError(f"X holds numbers of size {size:.3g}, whose squares {word}; rescale it")


def in_unit(X: Any, exponent: int) -> Any:
    """Return ``X / 2^exponent``: X itself for 0, else a scaled copy."""
    if exponent == 0:
        return X
    if isinstance(X, np.ndarray):
        return np.ldexp(X, -exponent)
    out = X.copy()
    out.data = np.ldexp(out.data, -exponent)
    return out
