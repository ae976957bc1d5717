"""The geometric distribution: how many trials the first success takes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import xlog1py, xlogy

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import check_between, numbers
from empirisk.distributions.exact import waiting
from empirisk.distributions.lattice import masked, quotient, trial_score
from empirisk.distributions.mean_member import MeanMember
from empirisk.distributions.stirling import deviance
from empirisk.typing import Array, Interval

__all__ = ["Geometric"]

_SHARE = Interval(0.0, 1.0, low_closed=False)
_RARE = 1e-15


@dataclass(frozen=True, eq=False)
class Geometric(MeanMember):
    """``P(x) = (1 - p)^(x - 1) p`` for x = 1, 2, 3, ...: trials up to the first success, that one included.

    ``phi(x) = x``, ``eta = log(1 - p)``, ``A(eta) = eta - log(1 - e^eta)``.

    Parameters
    ----------
    p : float, default 0.5
        Chance of success in one trial, in (0, 1].  Rows that count failures are ``x - 1``.

    Examples
    --------
    >>> np.exp(Geometric(0.25).log_prob([1, 2])).round(4)
    array([0.25  , 0.1875])
    """

    p: float = 0.5

    name = "geometric"
    discrete = True
    domains: ClassVar[dict[str, Interval]] = {"p": _SHARE}

    def __post_init__(self) -> None:
        check_between(self.name, "p", self.p, _SHARE)

    @property
    def support(self) -> Interval:
        """The counts from 1 on, outside of which the law has no mass."""
        return Interval(1.0, math.inf, high_closed=False)

    @property
    def natural(self) -> Array:
        """``log(1 - p)``, the natural parameters of this law."""
        with np.errstate(divide="ignore"):
            return np.array([np.log1p(-self.p)])

    def from_natural(self, eta: Array) -> Self:
        """Return the law with ``p = 1 - e^eta`` for these natural parameters."""
        return self.with_parameters(p=float(-np.expm1(eta[0])))

    def fisher_information(self) -> Array:
        """Return ``1 / (p^2 (1 - p))``, infinite where the law has one value."""
        return np.array([[quotient(quotient(1.0, self.p * (1.0 - self.p)), self.p)]])

    def score(self, x: Any) -> Array:
        """Return ``1 / p - (x - 1) / (1 - p)``, the derivative of ``log_prob`` in p."""
        return trial_score(np.ones(1), numbers(x) - 1.0, self.p)

    def natural_jacobian(self) -> Array:
        """Return ``d eta / d p = -1 / (1 - p)``, the slope of the natural parameters."""
        with np.errstate(divide="ignore"):
            return np.array([[-1.0 / np.float64(1.0 - self.p)]])

    def log_partition(self, eta: Array) -> float:
        """Return ``eta - log(1 - e^eta)``, the log-partition at natural parameters eta."""
        return float(eta[0] - np.log(-np.expm1(eta[0])))

    def mean_statistics(self, eta: Array) -> Array:
        """Return ``1 / (1 - e^eta)``, which is 1 / p, the mean of the statistics at eta."""
        return np.asarray(-1.0 / np.expm1(eta))

    def covariance_statistics(self, eta: Array) -> Array:
        """Return ``e^eta / (1 - e^eta)^2``, which is (1 - p) / p^2."""
        return np.asarray(np.exp(eta) / np.expm1(eta) ** 2)[:, None]

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law whose chance is one over the mean."""
        return self.with_parameters(p=float(1.0 / mean))

    def log_prob(self, x: Any) -> Array:
        """Return ``(x - 1) log(1 - p) + log p``; -inf for what is no count from 1 on."""
        return masked(self, numbers(x), lambda k: xlog1py(k - 1.0, -self.p) + math.log(self.p))

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent draws of this law, from a seed."""
        rng = generator_of(random_state)
        if self.p > _RARE:
            return rng.geometric(self.p, size).astype(np.float64)
        # Beyond 64 bits the generator's counts end; an exponential time in whole trials does not.
        return np.maximum(np.ceil(rng.exponential(size=size) / -math.log1p(-self.p)), 1.0)

    def moments(self) -> tuple[float, float]:
        """Return 1 / p and (1 - p) / p^2, the mean and the variance of a draw."""
        return 1.0 / self.p, (1.0 - self.p) / self.p / self.p

    def cdf(self, x: Any) -> Array:
        """Return ``1 - (1 - p)^x`` of the whole number below x."""
        rows = np.maximum(np.floor(numbers(x)), 0.0)
        return np.asarray(-np.expm1(xlog1py(rows, -self.p)))

    def frozen(self) -> Any:
        """Return ``scipy.stats.geom`` with these parameters, which is the same law in SciPy."""
        from scipy import stats

        return stats.geom(self.p)

    def exact_intervals(self, n: float, level: float) -> dict[str, tuple[float, float, str]]:
        """Return the interval of p after n ones in ``n / p`` trials, the last of which was one."""
        low, high = waiting(n, n / self.p, level)
        return {"p": (low, high, "binomial chances of the trials")}

    def inverse_information(self) -> Array:
        """Return ``p^2 (1 - p)``, which is 0 where the law has one value."""
        return np.array([[self.p * self.p * (1.0 - self.p)]])

    conjugate = "beta"

    def updated(self, prior: Any, n: float, sums: Array) -> Any:
        """Return ``Beta(a + rows, b + sum (x - 1))``, the prior after it has seen the rows."""
        return prior.with_parameters(a=float(prior.a + n), b=float(prior.b + sums[0] - n))

    def entropy(self) -> float:
        """Return ``-(p log p + (1 - p) log(1 - p)) / p``, the entropy of the law in nats."""
        return float(-(xlogy(self.p, self.p) + xlog1py(1.0 - self.p, -self.p)) / self.p)

    def kl(self, other: Geometric) -> float:
        """Return the divergence of one trial times 1 / p, the trials that are made."""
        p, q = self.p, other.p
        return float((deviance(p, q) + deviance(1.0 - p, 1.0 - q, q - p)) / p)
