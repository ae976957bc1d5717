"""Distinct numbers of a column with each row's place among them: counted where they are few whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.typing import IndexArray

__all__ = ["distinct_numbers"]

MOST_COUNTED = (
    4095  # up to this range counting reads the rows a few times, where sorting reads them log n times
)
EXACT = 2.0**52  # whole numbers below this are exact as float64


def distinct_numbers(values: Any) -> tuple[Any, IndexArray]:
    """Return ``np.unique(values, return_inverse=True)`` of numbers in one dimension, of the same type.

    NaN is one level, the last one.  Whole numbers within a range of 4095 are counted instead of sorted, at
    about a tenth of the cost.

    Examples
    --------
    >>> distinct_numbers(np.array([7.0, 3.0, np.nan, 7.0]))
    (array([ 3.,  7., nan]), array([1, 0, 2, 1]))
    """
    counted = _counted(values) if values.dtype.kind in "fiu" and len(values) else None
    if counted is not None:
        return counted
    levels, codes = np.unique(values, return_inverse=True)
    return levels, codes


def _counted(values: Any) -> tuple[Any, IndexArray] | None:
    """Return the levels by counting, or None unless all numbers are whole and lie within a short range."""
    missing: Any = np.isnan(values) if values.dtype.kind == "f" else np.zeros(1, dtype=bool)
    some = bool(missing.any())
    if some and missing.all():
        return None
    known: Any = np.where(missing, values[np.argmin(missing)], values) if some else values
    low, high = known.min().item(), known.max().item()
    if not high - low <= MOST_COUNTED or not (low >= -EXACT and high <= EXACT):
        return None
    if values.dtype.kind == "f" and low != np.floor(low):
        return None
    place = known.astype(np.int64) - int(low)
    if values.dtype.kind == "f" and not np.array_equal(place + int(low), known):
        return None
    present = np.bincount(place) > 0
    levels = (np.flatnonzero(present) + int(low)).astype(values.dtype)
    codes = (np.cumsum(present) - 1)[place]
    if not some:
        return levels, codes
    return np.append(levels, values.dtype.type(np.nan)), np.where(missing, len(levels), codes)
