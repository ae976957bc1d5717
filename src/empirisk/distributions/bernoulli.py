"""The Bernoulli distribution: a chance p of 1, else 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit, logit, xlog1py, xlogy

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import check_between, numbers
from empirisk.distributions.exact import clopper_pearson
from empirisk.distributions.lattice import quotient, trial_score
from empirisk.distributions.mean_member import MeanMember
from empirisk.distributions.stirling import deviance
from empirisk.typing import Array, Interval

__all__ = ["Bernoulli"]


@dataclass(frozen=True, eq=False)
class Bernoulli(MeanMember):
    """``P(1) = p``, ``P(0) = 1 - p``.

    ``phi(x) = x``, ``eta = log(p / (1 - p))``, ``A(eta) = log(1 + e^eta)``.

    Parameters
    ----------
    p : float, default 0.5
        In [0, 1].

    Examples
    --------
    >>> Bernoulli(0.25).log_prob([0, 1]).round(4)
    array([-0.2877, -1.3863])
    """

    p: float = 0.5

    name = "bernoulli"
    discrete = True
    domains: ClassVar[dict[str, Interval]] = {"p": Interval(0.0, 1.0)}

    def __post_init__(self) -> None:
        check_between(self.name, "p", self.p, Interval(0.0, 1.0))

    @property
    def support(self) -> Interval:
        """The numbers 0 and 1, outside of which the law has no mass."""
        return Interval(0.0, 1.0)

    @property
    def natural(self) -> Array:
        """``log(p / (1 - p))``, infinite at p = 0 and p = 1."""
        return np.array([float(logit(self.p))])

    def from_natural(self, eta: Array) -> Self:
        """Return the law with ``p = 1 / (1 + e^-eta)`` for these natural parameters."""
        return self.with_parameters(p=float(expit(eta[0])))

    def fisher_information(self) -> Array:
        """Return the trials over ``p (1 - p)``, infinite where the law has one value."""
        return np.array([[quotient(1.0, self.p * (1.0 - self.p))]])

    def score(self, x: Any) -> Array:
        """Return ones over p less zeros over 1 - p, the derivative of ``log_prob`` in p."""
        rows = numbers(x)
        return trial_score(rows, 1.0 - rows, self.p)

    def natural_jacobian(self) -> Array:
        """Return ``d eta / d p = 1 / (p (1 - p))``, the slope of the natural parameters."""
        with np.errstate(divide="ignore"):
            return np.array([[1.0 / np.float64(self.p * (1.0 - self.p))]])

    def log_partition(self, eta: Array) -> float:
        """Return ``log(1 + e^eta)``, the log-partition at natural parameters eta."""
        return float(np.logaddexp(0.0, eta[0]))

    def mean_statistics(self, eta: Array) -> Array:
        """Return ``1 / (1 + e^-eta)``, the mean of the statistics at eta."""
        return np.asarray(expit(eta))

    def covariance_statistics(self, eta: Array) -> Array:
        """Return ``p (1 - p)``, the covariance of the statistics at eta."""
        return np.asarray((expit(eta) * expit(-eta))[:, None])

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law whose chance is the mean, the share of ones."""
        return self.with_parameters(p=float(np.clip(mean, 0.0, 1.0)))

    def log_prob(self, x: Any) -> Array:
        """Return ``x log p + (1 - x) log(1 - p)``; -inf for numbers other than 0 and 1."""
        rows = numbers(x)
        known = (rows == 0.0) | (rows == 1.0)
        return np.where(known, xlogy(rows, self.p) + xlog1py(1.0 - rows, -self.p), -np.inf)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return draws of 0 and 1 of this law, from a seed."""
        return (generator_of(random_state).random(size) < self.p).astype(np.float64)

    def moments(self) -> tuple[float, float]:
        """Return p and ``p (1 - p)``, the mean and the variance of a draw."""
        return float(self.p), float(self.p * (1.0 - self.p))

    def cdf(self, x: Any) -> Array:
        """Return 0 below 0, 1 - p below 1, and 1 from there on."""
        rows = numbers(x)
        return np.where(rows < 0.0, 0.0, np.where(rows < 1.0, 1.0 - self.p, 1.0))

    def frozen(self) -> Any:
        """Return ``scipy.stats.bernoulli`` with these parameters, which is the same law in SciPy."""
        from scipy import stats

        return stats.bernoulli(self.p)

    def exact_intervals(self, n: float, level: float) -> dict[str, tuple[float, float, str]]:
        """Return Clopper and Pearson's interval of the chance."""
        low, high = clopper_pearson(n * self.p, n, level)
        return {"p": (low, high, "Clopper and Pearson")}

    def inverse_information(self) -> Array:
        """Return ``p (1 - p)``, which is 0 where the law has one value."""
        return np.array([[self.p * (1.0 - self.p)]])

    conjugate = "beta"

    def updated(self, prior: Any, n: float, sums: Array) -> Any:
        """Return ``Beta(a + ones, b + zeros)``, the prior after it has seen the rows."""
        return prior.with_parameters(a=float(prior.a + sums[0]), b=float(prior.b + n - sums[0]))

    def entropy(self) -> float:
        """Return ``-p log p - (1 - p) log(1 - p)``, the entropy of the law in nats."""
        return float(-xlogy(self.p, self.p) - xlog1py(1.0 - self.p, -self.p))

    def kl(self, other: Bernoulli) -> float:
        """Return ``p log(p / q) + (1 - p) log((1 - p) / (1 - q))``, the divergence from the other law."""
        p, q = self.p, other.p
        return float(deviance(p, q) + deviance(1.0 - p, 1.0 - q, q - p))
