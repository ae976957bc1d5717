"""Estimates in the form of ``report.json``, and intervals for values that may come in groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals import (
    clopper_pearson,
    grouped_proportion,
    wilson,
)
from empirisk.results import Estimate

__all__ = ["band", "cannot_tell", "estimate", "maybe", "number", "proportion"]

Floats = NDArray[np.float64]
Json = dict[str, Any]


def number(value: Any) -> float | None:
    """Return a finite Python float, or None."""
    out = float(value)
    return out if math.isfinite(out) else None


def estimate(e: Estimate) -> Json:
    """Return the JSON form; ends that are not finite are left out and said."""
    out = e.to_dict()
    for key in ("value", "low", "high"):
        out[key] = None if out[key] is None else number(out[key])
    if out["low"] is None or out["high"] is None:
        out["low"] = out["high"] = None
        out.setdefault("reason", "no interval can be given on these rows")
    elif out["value"] is not None:
        # An interval and its centre are computed apart and may round differently.
        out["low"], out["high"] = min(out["low"], out["value"]), max(out["high"], out["value"])
    return out


def maybe(e: Estimate | None) -> Json | None:
    """Return the JSON form of an estimate, or None when there is none."""
    return None if e is None else estimate(e)


def cannot_tell(value: float, level: float, n: int, reason: str) -> Estimate:
    """Return a number without an interval, and why."""
    return Estimate(float(value), None, None, level, n, "none", reason)


def band(points: Sequence[Estimate], method: str) -> Json:
    """Return many estimates along an axis; without a band when one of them has no interval."""
    values = [number(e.value) or 0.0 for e in points]
    low, high = [e.low for e in points], [e.high for e in points]
    open_ended = None in low or None in high
    first = points[0]
    return {
        "value": values,
        "low": None if open_ended else low,
        "high": None if open_ended else high,
        "level": first.level,
        "n": first.n,
        "method": method,
    }


def proportion(
    hits: NDArray, level: float, groups: NDArray | None = None, *, exact: bool = False
) -> Estimate:
    """Return the share of true values with its interval: Wilson (or Clopper-Pearson), with groups by
    effective size.
    """
    n = int(hits.size)
    if groups is not None and n:
        return grouped_proportion(hits.astype(float), groups, level)
    count = int(hits.sum())
    return clopper_pearson(count, n, level) if exact else wilson(count, n, level)
