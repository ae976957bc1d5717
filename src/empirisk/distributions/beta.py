"""The Beta distribution on the unit interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import betainc, polygamma

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions import dirichlet_forms as forms
from empirisk.distributions.base import POSITIVE, check_between, numbers
from empirisk.distributions.dirichlet_link import concentrations
from empirisk.distributions.exponential_member import ExponentialMember
from empirisk.typing import Array, Interval

__all__ = ["Beta"]


@dataclass(frozen=True, eq=False)
class Beta(ExponentialMember):
    """``p(x) = x^(a - 1) (1 - x)^(b - 1) / B(a, b)`` for 0 < x < 1.

    ``phi(x) = (log x, log(1 - x))``, ``h(x) = 1 / (x (1 - x))``, ``eta = (a, b)``, ``A(eta) = log B(a, b)``.

    Parameters
    ----------
    a, b : float, default 1.0
        The two shapes, above 0; the mean is ``a / (a + b)``.

    Examples
    --------
    >>> Beta(2.0, 1.0).log_prob([0.75, 0.25]).round(4)
    array([ 0.4055, -0.6931])
    """

    a: float = 1.0
    b: float = 1.0

    name = "beta"
    added = ("log", "log_rest")
    closed_form = False
    domains: ClassVar[dict[str, Interval]] = {"a": POSITIVE, "b": POSITIVE}

    def __post_init__(self) -> None:
        check_between(self.name, "a", self.a, POSITIVE)
        check_between(self.name, "b", self.b, POSITIVE)

    @property
    def support(self) -> Interval:
        """The numbers between 0 and 1, both excluded."""
        return Interval(0.0, 1.0, low_closed=False, high_closed=False)

    @property
    def natural(self) -> Array:
        """``(a, b)``, the natural parameters of this law."""
        return np.array([self.a, self.b])

    def from_natural(self, eta: Array) -> Self:
        """Return the law with shapes eta."""
        return self.with_parameters(a=float(eta[0]), b=float(eta[1]))

    def natural_jacobian(self) -> Array:
        """Return the derivatives of eta in a and b: the identity."""
        return np.eye(2)

    def statistics(self, x: Array) -> Array:
        """Return the logarithms of x and of 1 - x."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.stack([np.log(x), np.log1p(-x)]).T

    def log_base(self, x: Array) -> Array:
        """Return ``-log x - log(1 - x)``, the logarithm of h for each row."""
        return np.asarray(-self.statistics(x).sum(axis=1))

    def base_sum(self, x: Array, weight: Array, sums: Array) -> float:
        """Return minus the sums of both logarithms: log h is so much of the statistics."""
        return -float(sums.sum())

    def log_partition(self, eta: Array) -> float:
        """Return ``log B(a, b)``, the log-partition at natural parameters eta."""
        return forms.log_beta(eta)

    def mean_statistics(self, eta: Array) -> Array:
        """Return ``psi(a) - psi(a + b)`` and ``psi(b) - psi(a + b)``, psi the digamma function."""
        return forms.mean_logarithms(eta)

    def covariance_statistics(self, eta: Array) -> Array:
        """Return ``diag(psi'(a), psi'(b)) - psi'(a + b)``, the covariance of the statistics at eta."""
        return np.asarray(np.diag(polygamma(1, eta)) - polygamma(1, eta.sum()))

    def likeliest(self, mean: Array) -> tuple[Self, float]:
        """Return the law whose ``E log x`` and ``E log(1 - x)`` are those of the rows: Newton's method."""
        eta, left = concentrations(mean)
        return self.from_natural(eta), left

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law with this mean and variance, which must be below ``m (1 - m)``."""
        total = mean * (1.0 - mean) / variance - 1.0
        if not total > 0.0:
            raise ValueError(
                f"a Beta law with mean {mean:.4g} has a variance below {mean * (1.0 - mean):.4g}, and that "
                f"of the rows is {variance:.4g}"
            )
        return self.with_parameters(a=float(mean * total), b=float((1.0 - mean) * total))

    def log_prob(self, x: Any) -> Array:
        """Return ``(a - 1) log x + (b - 1) log(1 - x) - log B(a, b)``, the logarithm of the density of each
        row; -inf outside of (0, 1).
        """
        rows = numbers(x)
        inside = self.support.contains(rows)
        safe = np.where(inside, rows, 0.5)
        log = forms.log_density(self.natural, np.column_stack([safe, 1.0 - safe]))
        return np.where(inside, log, -np.inf)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent draws of this law, from a seed."""
        return generator_of(random_state).beta(self.a, self.b, size)

    def moments(self) -> tuple[float, float]:
        """Return ``a / (a + b)`` and ``a b / ((a + b)^2 (a + b + 1))``, the mean and the variance of
        a draw.
        """
        total = self.a + self.b
        mean = self.a / total
        return mean, mean * (self.b / total) / (total + 1.0)

    def cdf(self, x: Any) -> Array:
        """Return the chance of a draw of at most x."""
        return np.asarray(betainc(self.a, self.b, np.clip(numbers(x), 0.0, 1.0)))

    def frozen(self) -> Any:
        """Return ``scipy.stats.beta`` with these parameters, which is the same law in SciPy."""
        from scipy import stats

        return stats.beta(self.a, self.b)

    def mode(self) -> Array:
        """Return ``(a - 1) / (a + b - 2)``, where both a and b are above 1; else the density has poles."""
        if not (self.a > 1.0 and self.b > 1.0):
            raise ValueError(
                f"Beta({self.a:g}, {self.b:g}) is not largest inside of (0, 1): give a prior with a and b "
                "above 1, or read the mean of the posterior instead"
            )
        return np.array([(self.a - 1.0) / (self.a + self.b - 2.0)])

    def entropy(self) -> float:
        """Return ``log B(a, b) - (a - 1) psi(a) - (b - 1) psi(b) + (a + b - 2) psi(a + b)``, the entropy of
        the law in nats.
        """
        return forms.entropy(self.natural)

    def kl(self, other: Beta) -> float:
        """Return ``log B(c, d) - log B(a, b) + (eta - eta') . E phi``, c and d the shapes of `other`."""
        return forms.divergence(self.natural, other.natural)

    def inverse_information(self) -> Array:
        """Return the inverse of the Fisher information, whose determinant cancels for large shapes."""
        return forms.inverse_information(self.natural)
