"""The Laplace distribution: two exponential tails."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import (
    LINE,
    POSITIVE,
    Distribution,
    Fitted,
    Observations,
    check_between,
    numbers,
)
from empirisk.results import Certificate, Kind
from empirisk.typing import Array, Interval

__all__ = ["Laplace"]


@dataclass(frozen=True, eq=False)
class Laplace(Distribution):
    """``p(x) = exp(-|x - m| / b) / (2 b)``.

    Parameters
    ----------
    location : float, default 0.0
        The median m.
    scale : float, default 1.0
        The mean b of the absolute deviations, above 0; the variance is ``2 b^2``.

    Examples
    --------
    >>> Laplace(0.0, 2.0).log_prob([0.0, 2.0]).round(4)
    array([-1.3863, -2.3863])
    """

    location: float = 0.0
    scale: float = 1.0

    name = "laplace"
    growth = 1.0
    located = True
    domains: ClassVar[dict[str, Interval]] = {"location": LINE, "scale": POSITIVE}

    def __post_init__(self) -> None:
        check_between(self.name, "location", self.location, LINE)
        check_between(self.name, "scale", self.scale, POSITIVE)

    def maximise(self, data: Observations) -> Fitted:
        """Return the law with the median of the rows and their mean absolute deviation from it.

        The rows are gathered, because a median is no sum.  A median between two rows is their middle.
        """
        x, s = data.gathered()
        order = np.argsort(x, kind="stable")
        x, s = x[order], s[order]
        reached = np.cumsum(s)
        half = 0.5 * reached[-1]
        at = int(np.searchsorted(reached, half))
        middle = 0.5 * (x[at] + x[at + 1]) if reached[at] == half else x[at]
        scale = float((s * np.abs(x - middle)).sum() / reached[-1])
        if not scale > 0.0:
            raise ValueError(
                "all rows of x are the same number: the scale would be 0 and the likelihood has no maximum; "
                "look at where x comes from"
            )
        claim = "log-likelihood - its maximum = 0 but for rounding: the maximum has a closed form"
        member = self.with_parameters(location=float(middle), scale=scale)
        return Fitted(member, Certificate(Kind.EXACT, 0.0, 1.0, claim))

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law with this mean and the scale ``sqrt(v / 2)``."""
        return self.with_parameters(location=float(mean), scale=math.sqrt(0.5 * variance))

    def log_prob(self, x: Any) -> Array:
        """Return ``-|x - m| / b - log(2 b)``, the logarithm of the density of each row."""
        gap = np.abs(numbers(x) - self.location)
        return np.asarray(-gap / self.scale - math.log(2.0 * self.scale))

    def score(self, x: Any) -> Array:
        """Return ``sign(x - m) / b`` and ``(|x - m| / b - 1) / b``; 0 for the first at the kink x = m."""
        gap = (numbers(x) - self.location) / self.scale
        return np.asarray(np.column_stack([np.sign(gap), np.abs(gap) - 1.0]) / self.scale)

    def fisher_information(self) -> Array:
        """Return ``diag(1 / b^2, 1 / b^2)``, the information that one row has."""
        one = 1.0 / self.scale / self.scale
        return np.array([[one, 0.0], [0.0, one]])

    def inverse_information(self) -> Array:
        """Return ``diag(b^2, b^2)``, the inverse of the Fisher information."""
        one = self.scale * self.scale
        return np.array([[one, 0.0], [0.0, one]])

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent draws of this law, from a seed."""
        return generator_of(random_state).laplace(self.location, self.scale, size)

    def moments(self) -> tuple[float, float]:
        """Return m and ``2 b^2``, the mean and the variance of a draw."""
        return float(self.location), 2.0 * self.scale * self.scale

    def cdf(self, x: Any) -> Array:
        """Return the chance of a draw of at most x."""
        gap = (numbers(x) - self.location) / self.scale
        tail = 0.5 * np.exp(-np.abs(gap))
        return np.asarray(np.where(gap < 0.0, tail, 1.0 - tail))

    def frozen(self) -> Any:
        """Return ``scipy.stats.laplace`` with these parameters, which is the same law in SciPy."""
        from scipy import stats

        return stats.laplace(self.location, self.scale)

    def entropy(self) -> float:
        """Return ``1 + log(2 b)``, the entropy of the law in nats."""
        return 1.0 + math.log(2.0 * self.scale)

    def kl(self, other: Laplace) -> float:
        """Return ``log(c / b) - 1 + d / c + (b / c) exp(-d / b)``, d the distance of the medians.

        Here c is the scale of `other`.
        """
        b, c = self.scale, other.scale
        d = abs(self.location - other.location)
        return float(math.log(c / b) - 1.0 + d / c + (b / c) * math.exp(-d / b))

    def shifted(self, by: Any) -> Self:
        """Return the law with the median m + by."""
        return self.with_parameters(location=float(self.location + by))
