"""Estimates in the form of ``report.json``: some that may be absent, and many along an axis."""

from __future__ import annotations

from collections.abc import Sequence

from empirisk.evaluation.pictures.estimates import Json, estimate, number, proportion
from empirisk.results import Estimate

__all__ = ["Json", "band", "cannot_tell", "estimate", "maybe", "number", "proportion"]


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
