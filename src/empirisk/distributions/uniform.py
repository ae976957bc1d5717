"""The uniform distribution on an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import (
    LINE,
    Distribution,
    Fitted,
    Observations,
    check_between,
    numbers,
)
from empirisk.distributions.one_pass import extremes
from empirisk.results import Certificate, Kind
from empirisk.typing import Array, Interval

__all__ = ["Uniform"]


@dataclass(frozen=True, eq=False)
class Uniform(Distribution):
    """``p(x) = 1 / (b - a)`` for ``a <= x <= b``.

    Its support moves with its parameters, so that it has no Fisher information; the errors of its ends shrink
    like 1 / n.

    Parameters
    ----------
    low, high : float, default 0.0 and 1.0
        The ends a and b, a below b.

    Examples
    --------
    >>> Uniform(0.0, 4.0).log_prob([1.0, 5.0]).round(4)
    array([-1.3863,    -inf])
    """

    low: float = 0.0
    high: float = 1.0

    name = "uniform"
    regular = False
    domains: ClassVar[dict[str, Interval]] = {"low": LINE, "high": LINE}

    def __post_init__(self) -> None:
        check_between(self.name, "low", self.low, LINE)
        check_between(self.name, "high", self.high, Interval(self.low, math.inf, False, False))

    @property
    def support(self) -> Interval:
        """The interval from a to b, both included."""
        return Interval(self.low, self.high)

    @property
    def possible(self) -> Interval:
        """All numbers: rows outside of [a, b] belong to another member of the family."""
        return LINE

    def maximise(self, data: Observations) -> Fitted:
        """Return the law between the smallest and the largest row: a narrower one has no likelihood."""
        ends: list[tuple[float, float]] = data.map_sum(
            lambda x, s: [(float(x.min()), float(x.max()))] if len(x) else [],
            lambda x, s, origin: extremes(x, s),
        )
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        if low == high:
            raise ValueError(
                "all rows of x are the same number: the interval would have no width and the likelihood no "
                "maximum; look at where x comes from"
            )
        claim = "log-likelihood - its maximum = 0: every narrower interval leaves out a row"
        member = self.with_parameters(low=low, high=high)
        return Fitted(member, Certificate(Kind.EXACT, 0.0, 1.0, claim), -data.total * member.entropy())

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law from ``m - sqrt(3 v)`` to ``m + sqrt(3 v)``."""
        half = math.sqrt(3.0 * variance)
        return self.with_parameters(low=float(mean - half), high=float(mean + half))

    def log_prob(self, x: Any) -> Array:
        """Return ``-log(b - a)`` inside of the interval, -inf outside."""
        return np.where(self.support.contains(numbers(x)), -self.entropy(), -np.inf)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent draws of this law, from a seed."""
        return 2.0 * generator_of(random_state).uniform(0.5 * self.low, 0.5 * self.high, size)

    def moments(self) -> tuple[float, float]:
        """Return ``(a + b) / 2`` and ``(b - a)^2 / 12``, the mean and the variance of a draw."""
        width = self.high - self.low
        return 0.5 * self.low + 0.5 * self.high, width * width / 12.0

    def cdf(self, x: Any) -> Array:
        """Return ``(x - a) / (b - a)``, 0 below a and 1 above b."""
        return np.asarray(
            np.clip((0.5 * numbers(x) - 0.5 * self.low) / (0.5 * self.high - 0.5 * self.low), 0.0, 1.0)
        )

    def frozen(self) -> Any:
        """Return ``scipy.stats.uniform`` with these parameters, which is the same law in SciPy."""
        from scipy import stats

        return stats.uniform(self.low, self.high - self.low)

    def estimate_covariance(self, n: float) -> Array:
        """Return the covariance of the smallest and the largest of n rows, which falls like ``1 / n^2``."""
        width = self.high - self.low
        one = width * width / (n + 2.0) / (n + 1.0) / (n + 1.0)
        return np.array([[n * one, one], [one, n * one]])

    def exact_intervals(self, n: float, level: float) -> dict[str, tuple[float, float, str]]:
        """Return intervals of both ends, from the range of the rows.

        ``(b - max x) / (max x - min x)`` is at most c with the chance ``1 - (1 + c)^(1 - n)``.
        """
        if not n > 1.0:
            return {}
        reach = (self.high - self.low) * math.expm1(-math.log1p(-level) / (n - 1.0))
        return {
            "low": (self.low - reach, self.low, "range of the rows"),
            "high": (self.high, self.high + reach, "range of the rows"),
        }

    def entropy(self) -> float:
        """Return ``log(b - a)``, the entropy of the law in nats."""
        return math.log(0.5 * self.high - 0.5 * self.low) + math.log(2.0)

    def kl(self, other: Uniform) -> float:
        """Return ``log((d - c) / (b - a))`` where `other`, from c to d, covers this interval, else inf."""
        if other.low > self.low or other.high < self.high:
            return math.inf
        more = (self.low - other.low) + (other.high - self.high)
        return (
            math.log1p(more / (self.high - self.low))
            if math.isfinite(more)
            else other.entropy() - self.entropy()
        )
