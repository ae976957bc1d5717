"""The exponential distribution of waiting times, by its rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import POSITIVE, check_between, numbers
from empirisk.distributions.exact import chi_square_ends
from empirisk.distributions.mean_member import MeanMember
from empirisk.distributions.stirling import deviance
from empirisk.typing import Array, Interval

__all__ = ["Exponential"]


@dataclass(frozen=True, eq=False)
class Exponential(MeanMember):
    """``p(x) = r e^(-r x)`` for x >= 0.

    ``phi(x) = x``, ``eta = -r``, ``A(eta) = -log(-eta)``.

    Parameters
    ----------
    rate : float, default 1.0
        The rate r, above 0: one over the mean, and over SciPy's ``scale``.

    Examples
    --------
    >>> Exponential(2.0).log_prob([0.0, 1.0]).round(4)
    array([ 0.6931, -1.3069])
    """

    rate: float = 1.0

    name = "exponential"
    added = ("x",)
    growth = 1.0
    domains: ClassVar[dict[str, Interval]] = {"rate": POSITIVE}

    def __post_init__(self) -> None:
        check_between(self.name, "rate", self.rate, POSITIVE)

    @property
    def support(self) -> Interval:
        """The numbers from 0 on, outside of which the law has no mass."""
        return Interval(0.0, math.inf, high_closed=False)

    @property
    def natural(self) -> Array:
        """``-r``, the natural parameters of this law."""
        return np.array([-self.rate])

    def from_natural(self, eta: Array) -> Self:
        """Return the law with the rate ``-eta``."""
        return self.with_parameters(rate=float(-eta[0]))

    def natural_jacobian(self) -> Array:
        """Return ``d eta / d r = -1``, the slope of the natural parameters."""
        return np.array([[-1.0]])

    def log_partition(self, eta: Array) -> float:
        """Return ``-log(-eta)``, the log-partition at natural parameters eta."""
        return -math.log(-eta[0])

    def mean_statistics(self, eta: Array) -> Array:
        """Return ``-1 / eta``, the mean, which is the mean of the statistics at eta."""
        return np.asarray(-1.0 / eta)

    def covariance_statistics(self, eta: Array) -> Array:
        """Return ``1 / eta^2``, the variance, the covariance of the statistics at eta."""
        return np.array([[1.0 / float(eta[0]) / float(eta[0])]])

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law whose rate is one over the mean."""
        if not mean > 0.0:
            raise ValueError(
                "all rows of x are 0, so that the likelihood grows with the rate without limit; look at "
                "where x comes from"
            )
        return self.with_parameters(rate=float(1.0 / mean))

    def log_prob(self, x: Any) -> Array:
        """Return ``log r - r x``, the logarithm of the density of each row; -inf below 0."""
        rows = numbers(x)
        return np.where(self.support.contains(rows), math.log(self.rate) - self.rate * rows, -np.inf)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent draws of this law, from a seed."""
        return generator_of(random_state).exponential(1.0 / self.rate, size)

    def moments(self) -> tuple[float, float]:
        """Return 1 / r and 1 / r^2, the mean and the variance of a draw."""
        return 1.0 / self.rate, 1.0 / self.rate / self.rate

    def cdf(self, x: Any) -> Array:
        """Return ``1 - e^(-r x)``, the chance of a draw of at most x; 0 below 0."""
        return np.asarray(-np.expm1(-self.rate * np.maximum(numbers(x), 0.0)))

    def frozen(self) -> Any:
        """Return ``scipy.stats.expon`` with these parameters, which is the same law in SciPy."""
        from scipy import stats

        return stats.expon(scale=1.0 / self.rate)

    def exact_intervals(self, n: float, level: float) -> dict[str, tuple[float, float, str]]:
        """Return the interval of r from ``2 r sum x``, which is chi-square with 2 n degrees of freedom."""
        low, high = chi_square_ends(2.0 * n, level)
        scale = self.rate / (2.0 * n)
        return {"rate": (low * scale, high * scale, "chi-square")}

    def inverse_information(self) -> Array:
        """Return ``r^2``, the inverse of the Fisher information."""
        return np.array([[self.rate * self.rate]])

    conjugate = "gamma"

    def updated(self, prior: Any, n: float, sums: Array) -> Any:
        """Return ``Gamma(a + rows, r + sum x)``, the prior after it has seen the rows."""
        return prior.with_parameters(shape=float(prior.shape + n), rate=float(prior.rate + sums[0]))

    def entropy(self) -> float:
        """Return ``1 - log r``, the entropy of the law in nats."""
        return 1.0 - math.log(self.rate)

    def kl(self, other: Exponential) -> float:
        """Return ``q / r - 1 - log(q / r)``, q the rate of `other`."""
        return float(deviance(self.rate, other.rate)) / self.rate
