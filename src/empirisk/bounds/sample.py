"""What the bounds that look at rows share: checked losses, and the words of their assumptions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from empirisk.bounds.base import check_count, check_real
from empirisk.results import Assumption
from empirisk.typing import Array

__all__ = ["FIXED", "INDEPENDENT", "check_losses", "check_range", "log_share"]

INDEPENDENT = Assumption("the rows are drawn independently from the population that the statement is about")
FIXED = Assumption("the model was fixed before these rows were looked at")


def log_share(delta: float, candidates: int = 1) -> float:
    """``log(delta / K)``: what each of K candidates may fail with, after checking both."""
    return math.log(check_real(delta, "delta", 0.0, 1.0)) - math.log(check_count(candidates, "candidates"))


def check_range(low: float, high: float) -> tuple[float, float]:
    """Return the two ends of a range as floats; they must be finite with ``low < high``."""
    a, b = check_real(low, "low", -math.inf), check_real(high, "high", -math.inf)
    if not a < b:
        raise ValueError(f"low must be smaller than high, got {a:g} and {b:g}.")
    return a, b


def check_losses(losses: ArrayLike, low: float = 0.0, high: float = 1.0) -> Array:
    """Return a non-empty vector of losses in [low, high], or a ValueError that names the row."""
    values = np.asarray(losses, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(
            f"losses must hold one number for each of at least one row, got shape {values.shape}."
        )
    bad = np.flatnonzero(~((values >= low) & (values <= high)))
    if bad.size:
        row = int(bad[0])
        raise ValueError(
            f"losses must lie in [{low:g}, {high:g}], got {values[row]:g} in row {row} ({bad.size} such "
            "rows); declare a wider range or clip the loss before looking at the rows."
        )
    return values


def assumptions(low: float, high: float, candidates: int) -> tuple[Assumption, ...]:
    """Return the conditions of a bound from rows that had no part in making the model(s)."""
    out = [INDEPENDENT, FIXED]
    if candidates > 1:
        out[1] = Assumption(
            f"these rows served at most to choose among {candidates:,} models fixed before", "declared"
        )
    if (low, high) != (0.0, 1.0):
        out.append(Assumption(f"losses lie in [{low:g}, {high:g}]", "declared"))
    return tuple(out)
