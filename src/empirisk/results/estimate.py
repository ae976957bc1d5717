"""An estimate: a number about the future with its interval, its sample size and its method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from empirisk.results.form import Form, Formed

__all__ = ["Estimate", "check_level"]


@dataclass(frozen=True)
class Estimate(Formed):
    """A number about the future with its interval.

    Parameters
    ----------
    value : float
        Point estimate (NaN when it is undefined).
    low, high : float or None
        Ends of the interval; None when the data cannot tell (then `reason` says why).
    level : float
        Nominal coverage, for example 0.95.
    n : int
        Number of rows (or of units that count as independent) behind the number.
    method : str
        How the interval was made.
    reason : str
        Why there is no interval, or a warning about it; empty otherwise.
    target : str
        What the interval is about (the estimand).

    Examples
    --------
    >>> print(Estimate(0.8526, 0.8437, 0.8611, 0.95, 6513, "Wilson"))
    0.853 [0.844, 0.861]
    >>> print(Estimate(1.0, None, None, 0.95, 5, "Wilson", reason="5 rows are fewer than 10"))
    1 [cannot tell: 5 rows are fewer than 10]
    >>> print(Estimate(0.25, 0.05, 509.3, 0.95, 2, "chi-square"))
    0.25 [0.05, 509.30]
    """

    value: float
    low: float | None
    high: float | None
    level: float
    n: int
    method: str
    reason: str = ""
    target: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the stable JSON form: value, low, high, level, n, method (and reason, target when set)."""
        out: dict[str, Any] = {
            "value": self.value if math.isfinite(self.value) else None,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "n": self.n,
            "method": self.method,
        }
        if self.reason:
            out["reason"] = self.reason
        if self.target:
            out["target"] = self.target
        return out

    def _form(self) -> Form:
        columns: dict[str, list[Any]] = {
            "value": [self],
            "level": [f"{100.0 * self.level:g} %"],
            "n": [self.n],
            "method": [self.method],
        }
        notes = [f"{part[:1].upper()}{part[1:]}." for part in (self.reason, self.target) if part]
        return Form(str(self), columns, notes)

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.value:.4g} [cannot tell: {self.reason}]"
        digits = _digits(self.high - self.low)
        numbers = (self.value, self.low, self.high)
        if self.value and self.low * self.high >= 0.0 and round(self.value, digits) == 0.0:
            # A number whose sign is known is not shown as 0.
            digits = 1 - math.floor(math.log10(abs(self.value)))
        most = max((abs(x) for x in numbers if math.isfinite(x)), default=0.0)
        if most >= 1e16 or digits > 12:  # more than floats hold, or a row of zeros
            value, low, high = (f"{x:.4g}" for x in numbers)
        else:
            value, low, high = (f"{x:.{digits}f}" for x in numbers)
        return f"{value} [{low}, {high}]"


def _digits(width: float) -> int:
    """Decimals that an interval of this width justifies: two significant figures of the width."""
    if not (width > 0.0) or math.isinf(width):
        return 3
    return int(min(12, max(0, 1 - math.floor(math.log10(width)))))


def check_level(level: Any) -> float:
    """Return the probability of an interval; 0 and 1, whose intervals are empty or endless, are refused.

    Examples
    --------
    >>> check_level(95)
    Traceback (most recent call last):
    ...
    ValueError: level must lie strictly between 0 and 1, got 95; 0.95 is usual
    """
    if not isinstance(level, Real) or not 0.0 < float(level) < 1.0:
        raise ValueError(f"level must lie strictly between 0 and 1, got {level!r}; 0.95 is usual")
    return float(level)
