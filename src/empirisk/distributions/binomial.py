"""The binomial distribution: successes in a known number of trials."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import betaincc, betaln, expit, logit

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import check_between, check_count, numbers
from empirisk.distributions.exact import clopper_pearson
from empirisk.distributions.lattice import counts_near, masked, plogp_sum, quotient, trial_score
from empirisk.distributions.mean_member import MeanMember
from empirisk.distributions.stirling import binomial_log, deviance
from empirisk.typing import Array, Interval

__all__ = ["Binomial"]


@dataclass(frozen=True, eq=False)
class Binomial(MeanMember):
    """``P(x) = C(n, x) p^x (1 - p)^(n - x)`` for x = 0, ..., n.

    ``phi(x) = x``, ``h(x) = C(n, x)``, ``eta = log(p / (1 - p))``, ``A(eta) = n log(1 + e^eta)``.

    Parameters
    ----------
    n : int, default 1
        Trials, at least 1.  Fits are told it: ``fit_mle("binomial", x, n=10)``.
    p : float, default 0.5
        Chance of success, in [0, 1].

    Examples
    --------
    >>> np.exp(Binomial(2, 0.5).log_prob([0, 1, 2])).round(4)
    array([0.25, 0.5 , 0.25])
    """

    n: int = 1
    p: float = 0.5

    name = "binomial"
    discrete = True
    structure = ("n",)
    domains: ClassVar[dict[str, Interval]] = {"p": Interval(0.0, 1.0)}

    def __post_init__(self) -> None:
        check_count(self.name, "n", self.n)
        check_between(self.name, "p", self.p, Interval(0.0, 1.0))

    @property
    def support(self) -> Interval:
        """The counts from 0 to n, outside of which the law has no mass."""
        return Interval(0.0, float(self.n))

    @property
    def natural(self) -> Array:
        """``log(p / (1 - p))``, infinite at p = 0 and p = 1."""
        return np.array([float(logit(self.p))])

    def from_natural(self, eta: Array) -> Self:
        """Return the law with ``p = 1 / (1 + e^-eta)`` for these natural parameters."""
        return self.with_parameters(p=float(expit(eta[0])))

    def fisher_information(self) -> Array:
        """Return the trials over ``p (1 - p)``, infinite where the law has one value."""
        return np.array([[quotient(float(self.n), self.p * (1.0 - self.p))]])

    def score(self, x: Any) -> Array:
        """Return ones over p less zeros over 1 - p, the derivative of ``log_prob`` in p."""
        rows = numbers(x)
        return trial_score(rows, self.n - rows, self.p)

    def natural_jacobian(self) -> Array:
        """Return ``d eta / d p = 1 / (p (1 - p))``, the slope of the natural parameters."""
        with np.errstate(divide="ignore"):
            return np.array([[1.0 / np.float64(self.p * (1.0 - self.p))]])

    def log_base(self, x: Array) -> Array:
        """Return ``log C(n, x)``, through the Beta function, which does not overflow."""
        return np.asarray(-math.log1p(self.n) - betaln(x + 1.0, self.n - x + 1.0))

    def log_partition(self, eta: Array) -> float:
        """Return ``n log(1 + e^eta)``, the log-partition at natural parameters eta."""
        return float(self.n * np.logaddexp(0.0, eta[0]))

    def mean_statistics(self, eta: Array) -> Array:
        """Return ``n / (1 + e^-eta)``, the mean of the statistics at eta."""
        return np.asarray(self.n * expit(eta))

    def covariance_statistics(self, eta: Array) -> Array:
        """Return ``n p (1 - p)``, the covariance of the statistics at eta."""
        return np.asarray((self.n * expit(eta) * expit(-eta))[:, None])

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law whose chance is the mean over n."""
        return self.with_parameters(p=float(np.clip(mean / self.n, 0.0, 1.0)))

    def log_prob(self, x: Any) -> Array:
        """Return ``log C(n, x) + x log p + (n - x) log(1 - p)``; -inf for what is no count up to n."""
        n, p = float(self.n), float(self.p)
        return masked(self, numbers(x), lambda k: binomial_log(k, n - k, p, 1.0 - p))

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent draws of this law, from a seed."""
        return generator_of(random_state).binomial(self.n, self.p, size).astype(np.float64)

    def moments(self) -> tuple[float, float]:
        """Return n p and ``n p (1 - p)``, the mean and the variance of a draw."""
        return float(self.n * self.p), float(self.n * self.p * (1.0 - self.p))

    def cdf(self, x: Any) -> Array:
        """Return the chance of a draw of at most x."""
        rows, n = np.floor(numbers(x)), float(self.n)
        below = np.clip(rows, 0.0, n - 1.0)
        inside = betaincc(below + 1.0, n - below, self.p)
        return np.where(rows < 0.0, 0.0, np.where(rows >= n, 1.0, inside))

    def frozen(self) -> Any:
        """Return ``scipy.stats.binom`` with these parameters, which is the same law in SciPy."""
        from scipy import stats

        return stats.binom(self.n, self.p)

    def exact_intervals(self, n: float, level: float) -> dict[str, tuple[float, float, str]]:
        """Return Clopper and Pearson's interval of the chance."""
        low, high = clopper_pearson(n * self.n * self.p, n * self.n, level)
        return {"p": (low, high, "Clopper and Pearson")}

    def inverse_information(self) -> Array:
        """Return ``p (1 - p) / n``, which is 0 where the law has one value."""
        return np.array([[self.p * (1.0 - self.p) / self.n]])

    conjugate = "beta"

    def updated(self, prior: Any, n: float, sums: Array) -> Any:
        """Return ``Beta(a + sum x, b + sum (n - x))``, the prior after it has seen the rows."""
        return prior.with_parameters(a=float(prior.a + sums[0]), b=float(prior.b + n * self.n - sums[0]))

    def entropy(self) -> float:
        """Return ``-sum_x P(x) log P(x)``, summed up over the counts: there is no closed form."""
        return plogp_sum(self, counts_near(self))

    def kl(self, other: Binomial) -> float:
        """Return n times the divergence of one trial; for another n a sum over the counts."""
        if self.n != other.n:
            return self._kl_of_other_trials(other)
        p, q = self.p, other.p
        return float(self.n * (deviance(p, q) + deviance(1.0 - p, 1.0 - q, q - p)))

    def _kl_of_other_trials(self, other: Binomial) -> float:
        """The divergence for other numbers of trials, summed up over the counts."""
        x = counts_near(self)
        log = self.log_prob(x)
        with np.errstate(invalid="ignore"):
            return float(np.where(log > -np.inf, np.exp(log) * (log - other.log_prob(x)), 0.0).sum())
