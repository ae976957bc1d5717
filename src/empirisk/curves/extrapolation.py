"""Expected loss and gain with more rows: a bracket made from the last measured step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from empirisk.curves.diminishing import range_of_factors
from empirisk.curves.moments import LastStep
from empirisk.curves.power_law import PowerLaw
from empirisk.data.tabular import Tabular, estimate_columns
from empirisk.evaluation.intervals.base import refuse
from empirisk.results import Estimate

__all__ = ["Extrapolation", "extrapolate", "needed_for_gain", "needed_for_loss"]

METHOD = "bracket from the last measured step: returns diminish, no faster than rows^-3/2"
MOST = 1000.0  # multiples of the sample that a search for rows looks at
STEPS = 2000  # numbers of rows that are tried, equal steps of the logarithm


class Curve(Protocol):
    """What an extrapolation asks of a learning curve: its last step, and what its loss is called."""

    @property
    def n(self) -> int: ...
    @property
    def level(self) -> float: ...
    @property
    def label(self) -> str: ...
    @property
    def last(self) -> LastStep | None: ...
    @property
    def reason(self) -> str: ...
    @property
    def coefficients(self) -> float | None: ...
    @property
    def proportion(self) -> bool: ...
    @property
    def power_law(self) -> PowerLaw | None: ...


@dataclass(frozen=True, repr=False)
class Extrapolation(Tabular):
    """Expected loss, and its fall from that at n rows, at several multiples of the sample.

    Parameters
    ----------
    n : int
        Rows of the sample.
    factors : tuple of float
        Multiples of n.
    loss, gain : tuple of Estimate
        At ``factors[j] * n`` rows.
    label : str
        The loss in words.
    reason : str
        Why nothing can be told; empty otherwise.
    """

    n: int
    factors: tuple[float, ...]
    loss: tuple[Estimate, ...]
    gain: tuple[Estimate, ...]
    label: str
    reason: str = ""

    @property
    def rows(self) -> list[int]:
        """Rows in all at each factor."""
        return [round(f * self.n) for f in self.factors]

    @property
    def title(self) -> str:
        """The first line above the table: from how many rows the curve was continued."""
        return f"More rows than the {self.n} at hand: {self.label}"

    @property
    def sentences(self) -> list[str]:
        """One sentence for each factor, or why there is none."""
        if self.reason:
            return [f"More rows: cannot tell, {self.reason}."]
        return [_sentence(f, rows, e) for f, rows, e in zip(self.factors, self.rows, self.gain, strict=True)]

    def _shown(self) -> dict[str, list[Any]]:
        return {"rows": self.rows, "expected loss": list(self.loss), "gain": list(self.gain)}

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "factor": list(self.factors),
            "rows": self.rows,
            **estimate_columns(self.loss, "loss"),
            **estimate_columns(self.gain, "gain"),
            "level": [e.level for e in self.gain],
            "n": [self.n] * len(self.factors),
            "method": [e.method for e in self.gain],
            "reason": [e.reason for e in self.gain],
        }

    def _notes(self) -> list[str]:
        return self.sentences


def _sentence(factor: float, rows: int, gain: Estimate) -> str:
    low, high = gain.low or 0.0, gain.high or 0.0
    at = f"With {factor:g} times the rows ({rows:,}) the expected loss"
    if high <= 0.0:
        return f"{at} would rise by {_number(-gain.value)} ({_number(-high)} to {_number(-low)})."
    if low > 0.0:
        return f"{at} would fall by {_number(gain.value)} ({_number(low)} to {_number(high)})."
    return f"{at} would fall by at most {_number(high)}; whether it falls at all cannot be told."


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:.3g}"


def extrapolate(curve: Curve, factors: Sequence[float]) -> Extrapolation:
    """Return what more rows would bring; :meth:`LearningCurve.extrapolate` describes the arguments."""
    for f in factors:
        if not (isinstance(f, int | float) and math.isfinite(f) and f > 1.0):
            raise ValueError(f"factors must be numbers above 1 (multiples of the sample), got {f!r}.")
    gains = tuple(_gain(curve, f * curve.n) for f in factors)
    losses = tuple(_loss(curve, f * curve.n) for f in factors)
    return Extrapolation(curve.n, tuple(map(float, factors)), losses, gains, curve.label, curve.reason)


def _factors(curve: Curve, start: float, end: float) -> tuple[float, float]:
    """Return the range of the gain from `start` to `end` rows, for each unit of the last step."""
    step = _step(curve)
    return range_of_factors((step.before, step.size), (start, end), curve.coefficients)


def _step(curve: Curve) -> LastStep:
    if curve.last is None:
        raise ValueError(f"nothing can be told about more rows: {curve.reason}.")
    return curve.last


def gain_limits(curve: Curve, start: float, end: float) -> tuple[float, float]:
    """Return the union over gamma of ``gamma [L, U]``, the interval of the last step."""
    slow, fast = _factors(curve, start, end)
    low, high = _step(curve).fall_limits(curve.level)
    return min(slow * low, fast * low), max(slow * high, fast * high)


def loss_limits(curve: Curve, end: float) -> tuple[float, float]:
    """Union over gamma of the intervals of ``loss - gamma fall``; its ends are those of the two extremes.

    Without the correction for skewness the lower end is concave and the upper end convex in gamma, so that
    the extremes suffice.
    """
    step = _step(curve)
    ends = [step.loss_limits(g, curve.level) for g in _factors(curve, step.size, end)]
    cap = 1.0 if curve.proportion else math.inf
    return max(0.0, min(e[0] for e in ends)), min(cap, max(e[1] for e in ends))


def _law_gain(curve: Curve, start: float, end: float) -> float:
    """Return the gain by the power law scaled to the last step; NaN without a law."""
    law = curve.power_law
    if law is None:
        return math.nan
    ends = law([start, end])
    return float(ends[0] - ends[1])


def _gain(curve: Curve, end: float) -> Estimate:
    target = f"fall of the expected loss from {curve.n} to {round(end)} training rows"
    if curve.last is None:
        return refuse(math.nan, curve.level, curve.n, "none", curve.reason, target)
    low, high = gain_limits(curve, curve.n, end)
    slow, fast = sorted(g * curve.last.fall for g in _factors(curve, curve.n, end))
    value = _law_gain(curve, curve.n, end)
    value = (slow + fast) / 2.0 if math.isnan(value) else min(max(value, slow), fast)
    return Estimate(value, low, high, curve.level, curve.n, METHOD, target=target)


def _loss(curve: Curve, end: float) -> Estimate:
    target = f"expected loss with {round(end)} training rows"
    if curve.last is None:
        return refuse(math.nan, curve.level, curve.n, "none", curve.reason, target)
    low, high = loss_limits(curve, end)
    slow, fast = sorted(g * curve.last.fall for g in _factors(curve, curve.last.size, end))
    fall = _law_gain(curve, curve.last.size, end)
    fall = (slow + fast) / 2.0 if math.isnan(fall) else min(max(fall, slow), fast)
    value = min(max(curve.last.loss - fall, low), high)
    return Estimate(value, low, high, curve.level, curve.n, METHOD, target=target)


def needed_for_gain(curve: Curve, gain: float) -> Estimate:
    """Return the rows that a fall of the loss takes; :meth:`LearningCurve.rows_for` describes the
    arguments.
    """
    if not (isinstance(gain, int | float) and math.isfinite(gain) and gain > 0.0):
        raise ValueError(f"gain must be a positive number in units of the {curve.label}, got {gain!r}.")
    target = f"rows in all for a fall of the expected loss by {gain:.3g}"
    if curve.last is None:
        return refuse(math.nan, curve.level, curve.n, "none", curve.reason, target)
    grid = _grid(curve)
    limits = [gain_limits(curve, curve.n, end) for end in grid]
    values = [_gain(curve, end).value for end in grid]
    return _rows(curve, grid, [h >= gain for _, h in limits], [v >= gain for v in values],
                 [low >= gain for low, _ in limits], target)  # fmt: skip


def needed_for_loss(curve: Curve, loss: float) -> Estimate:
    """Return the rows that a loss takes; :meth:`LearningCurve.rows_to_reach` describes the arguments."""
    if not (isinstance(loss, int | float) and math.isfinite(loss) and loss >= 0.0):
        raise ValueError(f"loss must be a number >= 0, got {loss!r}.")
    target = f"rows in all for an expected loss of {loss:.4g}"
    if curve.last is None:
        return refuse(math.nan, curve.level, curve.n, "none", curve.reason, target)
    grid = _grid(curve)
    limits = [loss_limits(curve, end) for end in grid]
    values = [_loss(curve, end).value for end in grid]
    return _rows(curve, grid, [low <= loss for low, _ in limits], [v <= loss for v in values],
                 [high <= loss for _, high in limits], target)  # fmt: skip


def _grid(curve: Curve) -> list[float]:
    return [float(v) for v in np.ceil(curve.n * MOST ** (np.arange(STEPS + 1) / STEPS))]


def _rows(
    curve: Curve,
    grid: list[float],
    possible: list[bool],
    expected: list[bool],
    sure: list[bool],
    target: str,
) -> Estimate:
    """Return the first rows at which the goal is possible, expected and sure."""
    low, value, high = (grid[f.index(True)] if any(f) else math.inf for f in (possible, expected, sure))
    value = value if math.isfinite(value) else math.nan
    if math.isinf(low):
        reason = f"not reached with {MOST:g} times the rows: change the model or the columns"
        return refuse(value, curve.level, curve.n, METHOD, reason, target)
    if math.isinf(high):
        reason = f"at least {round(low)} rows are needed, and no number of rows can be promised to suffice"
        return refuse(value, curve.level, curve.n, METHOD, reason, target)
    return Estimate(value, low, high, curve.level, curve.n, METHOD, target=target)
