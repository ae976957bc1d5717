"""The Poisson distribution of counts, by its rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import gammaln, pdtr

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import POSITIVE, check_between, numbers
from empirisk.distributions.exact import garwood
from empirisk.distributions.lattice import counts_near, masked, plogp_sum
from empirisk.distributions.mean_member import MeanMember
from empirisk.distributions.stirling import deviance, stirling_rest
from empirisk.typing import Array, Interval

__all__ = ["Poisson"]

# From this rate on the entropy is its series: the next term is below 1e-16.
_SERIES = 1e4


@dataclass(frozen=True, eq=False)
class Poisson(MeanMember):
    """``P(x) = r^x e^-r / x!`` for x = 0, 1, 2, ...

    ``phi(x) = x``, ``h(x) = 1 / x!``, ``eta = log r``, ``A(eta) = e^eta``.

    Parameters
    ----------
    rate : float, default 1.0
        The rate r, above 0: mean and variance.

    Examples
    --------
    >>> Poisson(2.0).log_prob([0, 1]).round(4)
    array([-2.    , -1.3069])
    """

    rate: float = 1.0

    name = "poisson"
    discrete = True
    domains: ClassVar[dict[str, Interval]] = {"rate": POSITIVE}

    def __post_init__(self) -> None:
        check_between(self.name, "rate", self.rate, POSITIVE)

    @property
    def support(self) -> Interval:
        """The counts from 0 on, outside of which the law has no mass."""
        return Interval(0.0, math.inf, high_closed=False)

    @property
    def natural(self) -> Array:
        """``log r``, the natural parameters of this law."""
        return np.array([math.log(self.rate)])

    def from_natural(self, eta: Array) -> Self:
        """Return the law with the rate ``e^eta``."""
        return self.with_parameters(rate=float(np.exp(eta[0])))

    def natural_jacobian(self) -> Array:
        """Return ``d eta / d r = 1 / r``, the slope of the natural parameters."""
        return np.array([[1.0 / self.rate]])

    def log_base(self, x: Array) -> Array:
        """Return ``-log x!``, the logarithm of h for each row."""
        return np.asarray(-gammaln(x + 1.0))

    def log_partition(self, eta: Array) -> float:
        """Return ``e^eta``, the log-partition at natural parameters eta."""
        with np.errstate(over="ignore"):
            return float(np.exp(eta[0]))

    def mean_statistics(self, eta: Array) -> Array:
        """Return ``e^eta``, the rate and the mean of the statistics at eta."""
        return np.exp(eta)

    def covariance_statistics(self, eta: Array) -> Array:
        """Return ``e^eta``, the rate and the covariance of the statistics at eta."""
        return np.exp(eta)[:, None]

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law whose rate is the mean."""
        if not mean > 0.0:
            raise ValueError(
                "all counts of x are 0, so that the likelihood grows as the rate falls to 0, where there is "
                "no law: give fit_map a prior, or rows that hold an event"
            )
        return self.with_parameters(rate=float(mean))

    def log_prob(self, x: Any) -> Array:
        """Return ``x log r - r - log x!``; -inf for what is no count."""

        def log_chance(k: Array) -> Array:
            # log x! by Stirling's formula, so that no two numbers of the size of r are subtracted.
            some = np.maximum(k, 1.0)
            inner = stirling_rest(some) + deviance(some, self.rate) + 0.5 * np.log(2.0 * math.pi * some)
            return np.where(k > 0.0, -inner, -self.rate)

        return masked(self, numbers(x), log_chance)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent draws of this law, from a seed."""
        return generator_of(random_state).poisson(self.rate, size).astype(np.float64)

    def moments(self) -> tuple[float, float]:
        """Return r twice: mean and variance are the same."""
        return float(self.rate), float(self.rate)

    def cdf(self, x: Any) -> Array:
        """Return the chance of a draw of at most x."""
        rows = np.floor(numbers(x))
        return np.where(rows < 0.0, 0.0, pdtr(np.maximum(rows, 0.0), self.rate))

    def frozen(self) -> Any:
        """Return ``scipy.stats.poisson`` with these parameters, which is the same law in SciPy."""
        from scipy import stats

        return stats.poisson(self.rate)

    def exact_intervals(self, n: float, level: float) -> dict[str, tuple[float, float, str]]:
        """Return Garwood's interval: the sum of the rows is a Poisson number."""
        low, high = garwood(n * self.rate, level)
        return {"rate": (low / n, high / n, "chi-square, Garwood")}

    conjugate = "gamma"

    def updated(self, prior: Any, n: float, sums: Array) -> Any:
        """Return ``Gamma(a + sum x, r + rows)``, the prior after it has seen the rows."""
        return prior.with_parameters(shape=float(prior.shape + sums[0]), rate=float(prior.rate + n))

    def entropy(self) -> float:
        """Return ``-sum_x P(x) log P(x)``: over the counts, or from r = 10,000 on a series in 1 / r.

        ``log(2 pi e r) / 2 - 1 / (12 r) - 1 / (24 r^2) - 19 / (360 r^3)``, exact to the last digit there.
        """
        if self.rate < _SERIES:
            return plogp_sum(self, counts_near(self))
        small = 1.0 / self.rate
        rest = (1.0 / 12.0 + (1.0 / 24.0 + 19.0 / 360.0 * small) * small) * small
        return 0.5 * (math.log(2.0 * math.pi * math.e) + math.log(self.rate)) - rest

    def kl(self, other: Poisson) -> float:
        """Return ``r log(r / q) - r + q``, q the rate of `other`."""
        return float(deviance(self.rate, other.rate))
