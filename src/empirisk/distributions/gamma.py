"""The Gamma distribution, by shape and rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import digamma, gammainc, gammaln, polygamma

from empirisk.data.seeds import Seed, generator_of
from empirisk.data.sums import weighted_sum
from empirisk.distributions.base import POSITIVE, Observations, check_between, numbers
from empirisk.distributions.exponential_member import ExponentialMember
from empirisk.distributions.stirling import (
    curvature_rest,
    deviance,
    digamma_rest,
    gamma_divergence,
    stirling_rest,
)
from empirisk.typing import Array, Interval

__all__ = ["Gamma", "shape_of"]

# Newton's steps double the digits of the start: five are enough, the others are for safety.
_STEPS, _SQUARED = 50, 1e-8
# Rows whose logarithms vary less than this are read a second time.
_CLOSE = 1e-6
# From this shape on densities are written with Stirling's formula.
_LARGE = 16.0


@dataclass(frozen=True, eq=False)
class Gamma(ExponentialMember):
    """``p(x) = r^a x^(a - 1) e^(-r x) / Gamma(a)`` for x > 0.

    ``phi(x) = (log x, x)``, ``h(x) = 1 / x``, ``eta = (a, -r)``,
    ``A(eta) = log Gamma(eta_1) - eta_1 log(-eta_2)``.  The mean is a / r, the variance a / r^2.  The point
    x = 0, where log x has no value, is left out of the support, also for a = 1, Exponential's law but for it.

    Parameters
    ----------
    shape : float, default 1.0
        The shape a, above 0.
    rate : float, default 1.0
        The rate r, above 0: one over SciPy's ``scale``.

    Examples
    --------
    >>> Gamma(2.0, 3.0).log_prob(1.0).round(4)
    array([-0.8028])
    """

    shape: float = 1.0
    rate: float = 1.0

    name = "gamma"
    added = ("log", "x")
    closed_form = False
    growth = 1.0
    domains: ClassVar[dict[str, Interval]] = {"shape": POSITIVE, "rate": POSITIVE}

    def __post_init__(self) -> None:
        check_between(self.name, "shape", self.shape, POSITIVE)
        check_between(self.name, "rate", self.rate, POSITIVE)

    @property
    def support(self) -> Interval:
        """The numbers above 0, outside of which the law has no mass."""
        return POSITIVE

    @property
    def natural(self) -> Array:
        """``(a, -r)``, the natural parameters of this law."""
        return np.array([self.shape, -self.rate])

    def from_natural(self, eta: Array) -> Self:
        """Return the law with shape eta_1 and rate -eta_2."""
        return self.with_parameters(shape=float(eta[0]), rate=float(-eta[1]))

    def fisher_information(self) -> Array:
        """Return ``((psi'(a), -1 / r), (-1 / r, a / r^2))``, the information that one row has."""
        return np.asarray(self.covariance_statistics(self.natural) * np.array([[1.0, -1.0], [-1.0, 1.0]]))

    def natural_jacobian(self) -> Array:
        """Return the derivatives of eta in a and r, 1 and -1."""
        return np.diag([1.0, -1.0])

    def statistics(self, x: Array) -> Array:
        """Return the logarithm of x, and x."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.stack([np.log(x), x]).T

    def log_base(self, x: Array) -> Array:
        """Return ``-log x``, the logarithm of h for each row."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return -np.log(x)

    def base_sum(self, x: Array, weight: Array, sums: Array) -> float:
        """Return minus the sum of the logarithms: log h is so much of the statistics."""
        return -float(sums[0])

    def log_partition(self, eta: Array) -> float:
        """Return ``log Gamma(eta_1) - eta_1 log(-eta_2)``, the log-partition at natural parameters eta."""
        return float(gammaln(eta[0]) - eta[0] * math.log(-eta[1]))

    def mean_statistics(self, eta: Array) -> Array:
        """Return ``(psi(a) - log r, a / r)``, psi the digamma function."""
        return np.array([digamma(eta[0]) - math.log(-eta[1]), -eta[0] / eta[1]])

    def covariance_statistics(self, eta: Array) -> Array:
        """Return ``((psi'(a), 1 / r), (1 / r, a / r^2))``, the covariance of the statistics at eta."""
        a, r = float(eta[0]), -float(eta[1])
        return np.array([[float(polygamma(1, a)), 1.0 / r], [1.0 / r, a / r / r]])

    def likeliest(self, mean: Array) -> tuple[Self, float]:
        """Return the law whose ``E log x`` and mean are those of the rows: Newton's method in the shape."""
        a, left = shape_of(math.log(mean[1]) - mean[0])
        return self.with_parameters(shape=a, rate=a / float(mean[1])), left

    def likeliest_of(self, mean: Array, rows: Observations) -> tuple[Self, float]:
        """Return the law as ``likeliest`` does; rows that are nearly equal are read once more.

        The logarithm of their mean less the mean of their logarithms is that of ``u - log(1 + u)``, u the
        deviations from the mean in its unit, of which no digits are lost.
        """
        spread = math.log(mean[1]) - mean[0]
        if spread > _CLOSE * (1.0 + abs(mean[0])):
            return self.likeliest(mean)
        at = float(mean[1])

        def deviations(x: Array, s: Array) -> Array:
            u = (x - at) / at
            return np.array([weighted_sum(s, u), weighted_sum(s, deviance(1.0, 1.0 + u, -u))])

        first, second = rows.map_sum(deviations) / rows.total
        a, left = shape_of(float(second - 0.5 * first * first))
        return self.with_parameters(shape=a, rate=a / at), left

    def likelihood_of(self, total: float, sums: Array, base: float) -> float | None:
        """Return the log-likelihood by the sums, or None where the shape is large and their terms cancel."""
        return super().likelihood_of(total, sums, base) if self.shape < 1e3 else None

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law with this mean and variance: ``a = m^2 / v``, ``r = m / v``."""
        return self.with_parameters(shape=float(mean**2 / variance), rate=float(mean / variance))

    def log_prob(self, x: Any) -> Array:
        """Return ``a log r + (a - 1) log x - r x - log Gamma(a)``, the logarithm of the density of each row;
        -inf for x <= 0.
        """
        rows = numbers(x)
        inside = (rows > 0.0) & (rows < np.inf)
        safe = np.where(inside, rows, 1.0)
        a, r = self.shape, self.rate
        if a < _LARGE:
            log = a * math.log(r) + (a - 1.0) * np.log(safe) - r * safe - gammaln(a)
        else:
            # Stirling's formula: no two numbers of the size of a log a are subtracted.
            at_mean = 0.5 * math.log(a / (2.0 * math.pi)) - stirling_rest(a)
            log = at_mean - deviance(a, r * safe) - np.log(safe)
        return np.where(inside, log, -np.inf)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent draws of this law, from a seed."""
        return generator_of(random_state).gamma(self.shape, 1.0 / self.rate, size)

    def moments(self) -> tuple[float, float]:
        """Return a / r and a / r^2."""
        return self.shape / self.rate, self.shape / self.rate / self.rate

    def cdf(self, x: Any) -> Array:
        """Return the chance of a draw of at most x."""
        return np.asarray(gammainc(self.shape, self.rate * np.maximum(numbers(x), 0.0)))

    def frozen(self) -> Any:
        """Return ``scipy.stats.gamma`` with these parameters, which is the same law in SciPy."""
        from scipy import stats

        return stats.gamma(self.shape, scale=1.0 / self.rate)

    def mode(self) -> Array:
        """Return ``(a - 1) / r``, where a is above 1; else the density is largest at 0."""
        if not self.shape > 1.0:
            raise ValueError(
                f"Gamma({self.shape:g}, {self.rate:g}) is largest at 0, which is no parameter: give a prior "
                "with a shape above 1, or read the mean of the posterior instead"
            )
        return np.array([(self.shape - 1.0) / self.rate])

    def entropy(self) -> float:
        """Return ``a - log r + log Gamma(a) + (1 - a) psi(a)``, the entropy of the law in nats."""
        a = self.shape
        inner = stirling_rest(a) + (1.0 - a) * digamma_rest(a)  # what Stirling's formula leaves
        return float(0.5 * math.log(2.0 * math.pi) + 0.5 * math.log(a) - math.log(self.rate) + inner)

    def kl(self, other: Gamma) -> float:
        """Return ``(a - b) psi(a) - log Gamma(a) + log Gamma(b) + b log(r / s) + a (s - r) / r``.

        Here b and s are shape and rate of `other`.
        """
        a, r, b, s = self.shape, self.rate, other.shape, other.rate
        # D(b, a s / r), of which both numbers may be the same to many digits, and what is left beside it.
        gap = (b - a) - a * ((s - r) / r)
        return float(deviance(b, a * (s / r), gap) + gamma_divergence(b, a))

    def inverse_information(self) -> Array:
        """Return the inverse of the Fisher information, ``((1, r / a), (r / a, r^2 psi'(a) / a)) / c`` with
        ``c = psi'(a) - 1 / a``: its determinant cancels for large a.
        """
        a, r = self.shape, self.rate
        c = float(curvature_rest(a))
        cross = r / a / c
        return np.array([[1.0 / c, cross], [cross, r * r * (1.0 / a + c) / a / c]])


def shape_of(spread: float) -> tuple[float, float]:
    """The shape a with ``log a - psi(a) = spread``, and what is left of the equation in standard deviations.

    The start solves the equation with ``psi(a) = log a - 1 / (2 a) - 1 / (12 a (a + 1/2))``, which is good to
    2 % (Minka, Estimating a Gamma distribution, 2002).

    Parameters
    ----------
    spread : float
        Logarithm of the mean less the mean of the logarithms; above 0 unless all rows are equal.

    Examples
    --------
    >>> a, left = shape_of(math.log(2.0) - float(digamma(2.0)))
    >>> round(float(a), 12), left < 1e-12
    (2.0, True)
    """
    if not spread > 0.0:
        raise ValueError(
            "all rows of x are the same number, or differ by less than rounding: the shape would be "
            "infinite, and the likelihood has no maximum; look at where x comes from"
        )
    a = (3.0 - spread + math.sqrt((spread - 3.0) ** 2 + 24.0 * spread)) / (12.0 * spread)
    for _ in range(_STEPS):
        residual = -float(digamma_rest(a)) - spread
        # In log a the left side is monotone and convex, so that Newton's method overshoots nowhere for long.
        step = -residual / (a * float(curvature_rest(a)))
        a *= math.exp(-step)
        if abs(step) <= _SQUARED:  # what is left is its square; rounding may make further steps for ever
            break
    residual = -float(digamma_rest(a)) - spread
    return a, abs(residual) / math.sqrt(float(polygamma(1, a)))
