"""Parameters of penalties that are vectors: kept as tuples, so that the objects compare, hash and print."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from empirisk.typing import Array

__all__ = ["as_numbers", "check_radius", "check_size", "long_norm"]


def as_numbers(name: str, values: Sequence[float] | Array, *, finite: bool = True) -> tuple[float, ...]:
    """Return a vector parameter as a tuple of floats; NaN (and infinity, if `finite`) is refused by
    position.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a vector with at least one entry, got shape {array.shape}")
    bad = np.flatnonzero(~np.isfinite(array) if finite else np.isnan(array))
    if bad.size:
        raise ValueError(f"{name} must hold finite numbers, got {array[bad[0]]} at position {bad[0]}")
    return tuple(array.tolist())


def check_radius(name: str, value: Any, *, zero: bool = True) -> None:
    """Refuse a size that is not a finite number ``>= 0`` (``> 0`` without `zero`)."""
    if not (math.isfinite(value) and (value >= 0.0 if zero else value > 0.0)):
        raise ValueError(f"{name} must be a finite number {'>=' if zero else '>'} 0, got {value!r}")


def check_size(name: str, have: int, w: Array) -> None:
    """Refuse coefficients whose number is not that of a vector parameter."""
    if w.size != have:
        raise ValueError(f"{name} has {have} entries but there are {w.size} coefficients")


def long_norm(v: Array) -> float:
    """``||v||`` of all entries, in float64 and without overflow or underflow on the way."""
    largest = float(np.max(np.abs(v), initial=0.0))
    if largest == 0.0 or not math.isfinite(largest):
        return largest
    scaled = v.astype(np.float64, copy=False) / largest
    return largest * math.sqrt(float(np.square(scaled).sum()))
