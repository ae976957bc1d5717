"""The Gaussian distribution of one number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import ndtr

from empirisk.data.seeds import Seed, generator_of
from empirisk.data.sums import weighted_sum
from empirisk.distributions.base import LINE, POSITIVE, Fitted, Observations, check_between, numbers
from empirisk.distributions.exact import chi_square_ends, student_end
from empirisk.distributions.exponential_member import ExponentialMember
from empirisk.distributions.stirling import deviance
from empirisk.typing import Array, Interval

__all__ = ["Gaussian"]

# Variances below have lost digits of the squares that they are sums of.
_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class Gaussian(ExponentialMember):
    """``p(x) = exp(-(x - m)^2 / (2 v)) / sqrt(2 pi v)``.

    ``phi(x) = (x, x^2)``, ``eta = (m / v, -1 / (2 v))``,
    ``A(eta) = -eta_1^2 / (4 eta_2) + log(-pi / eta_2) / 2``.

    Parameters
    ----------
    mean : float, default 0.0
        The mean m.
    variance : float, default 1.0
        The variance v, above 0; a standard deviation s is ``variance=s**2``.

    Examples
    --------
    >>> Gaussian(1.0, 4.0).log_prob(1.0).round(4)
    array([-1.6121])
    """

    mean: float = 0.0
    variance: float = 1.0

    name = "gaussian"
    added = ("x", "square")
    growth = 2.0
    located = True
    domains: ClassVar[dict[str, Interval]] = {"mean": LINE, "variance": POSITIVE}

    def __post_init__(self) -> None:
        check_between(self.name, "mean", self.mean, LINE)
        check_between(self.name, "variance", self.variance, POSITIVE)

    @property
    def natural(self) -> Array:
        """``(m / v, -1 / (2 v))``, the natural parameters of this law."""
        return np.array([self.mean / self.variance, -0.5 / self.variance])

    def from_natural(self, eta: Array) -> Self:
        """Return the law with mean ``-eta_1 / (2 eta_2)`` and variance ``-1 / (2 eta_2)``."""
        return self.with_parameters(mean=float(-0.5 * eta[0] / eta[1]), variance=float(-0.5 / eta[1]))

    def natural_jacobian(self) -> Array:
        """Return the derivatives of eta in m and v."""
        m, v = self.mean, self.variance
        return np.array([[1.0 / v, -m / v / v], [0.0, 0.5 / v / v]])

    def fisher_information(self) -> Array:
        """Return ``diag(1 / v, 1 / (2 v^2))``: the general formula loses its digits far from 0."""
        return np.array([[1.0 / self.variance, 0.0], [0.0, 0.5 / self.variance / self.variance]])

    def score(self, x: Any) -> Array:
        """Return ``(x - m) / v`` and ``((x - m)^2 / v - 1) / (2 v)``, for the same reason."""
        gap = numbers(x) - self.mean
        return np.column_stack([gap / self.variance, 0.5 * (gap * gap / self.variance - 1.0) / self.variance])

    def inverse_information(self) -> Array:
        """Return ``diag(v, 2 v^2)``, the inverse of the Fisher information."""
        v = self.variance
        return np.array([[v, 0.0], [0.0, 2.0 * v * v]])

    def statistics(self, x: Array) -> Array:
        """Return x and its square, the statistics of each row."""
        return np.stack([x, x * x]).T

    def log_partition(self, eta: Array) -> float:
        """Return ``-eta_1^2 / (4 eta_2) + log(-pi / eta_2) / 2``, the log-partition at natural parameters
        eta.
        """
        return float(-(eta[0] ** 2) / (4.0 * eta[1]) + 0.5 * math.log(-math.pi / eta[1]))

    def mean_statistics(self, eta: Array) -> Array:
        """Return ``(m, m^2 + v)``, the mean of the statistics at eta."""
        m, v = -0.5 * eta[0] / eta[1], -0.5 / eta[1]
        return np.array([m, m * m + v])

    def covariance_statistics(self, eta: Array) -> Array:
        """Return ``((v, 2 m v), (2 m v, 4 m^2 v + 2 v^2))``, the covariance of the statistics at eta."""
        m, v = -0.5 * eta[0] / eta[1], -0.5 / eta[1]
        return np.array([[v, 2.0 * m * v], [2.0 * m * v, 4.0 * m * m * v + 2.0 * v * v]])

    def maximise(self, data: Observations) -> Fitted:
        """Return the law with the mean and the variance of the rows, which must count more than one."""
        if not data.total > 1.0:
            raise ValueError(
                f"the rows of x count {data.total:.6g} in all, and a variance needs more than 1: weights say "
                "how often each row counts; give them in that unit, or more rows"
            )
        return super().maximise(data)

    def likeliest(self, mean: Array) -> tuple[Self, float]:
        """Return the law with the mean and the variance (divided by the number of rows) of the rows."""
        return self.matched(mean[0], mean[1] - mean[0] ** 2), 0.0

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law with this mean and variance, which must not be 0."""
        if not variance > _LEAST:
            raise ValueError(
                "all rows of x are the same number, or differ by less than rounding or than 1e-150, whose "
                "square floats do not hold: the variance would be 0 and the likelihood has no maximum; look "
                "at where x comes from, or change its unit"
            )
        return self.with_parameters(mean=float(mean), variance=float(variance))

    def log_prob(self, x: Any) -> Array:
        """Return ``-(x - m)^2 / (2 v) - log(2 pi v) / 2``, the logarithm of the density of each row."""
        gap = numbers(x) - self.mean
        return -0.5 * (gap * gap / self.variance + math.log(2.0 * math.pi * self.variance))

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent draws of this law, from a seed."""
        return self.mean + math.sqrt(self.variance) * generator_of(random_state).standard_normal(size)

    def moments(self) -> tuple[float, float]:
        """Return m and v, the mean and the variance of a draw."""
        return float(self.mean), float(self.variance)

    def cdf(self, x: Any) -> Array:
        """Return the chance of a draw of at most x."""
        return np.asarray(ndtr((numbers(x) - self.mean) / math.sqrt(self.variance)))

    def frozen(self) -> Any:
        """Return ``scipy.stats.norm`` with these parameters, which is the same law in SciPy."""
        from scipy import stats

        return stats.norm(self.mean, math.sqrt(self.variance))

    def exact_intervals(self, n: float, level: float) -> dict[str, tuple[float, float, str]]:
        """Return Student's interval of the mean and the chi-square one of the variance."""
        if not n > 1.0:
            return {}
        half = student_end(n - 1.0, level) * math.sqrt(self.variance / (n - 1.0))
        low, high = chi_square_ends(n - 1.0, level)
        return {
            "mean": (self.mean - half, self.mean + half, "Student t"),
            "variance": (n * self.variance / high, n * self.variance / low, "chi-square"),
        }

    conjugate = "normal_inverse_gamma"

    def posterior(self, prior: Any, data: Observations) -> Any:
        """Return the law of mean and variance after the rows, from their mean and their squares about it."""
        rows, mean = data.centred()
        squares = float(rows.map_sum(lambda x, s: weighted_sum(s, x * x)))
        n, k = data.total, prior.strength
        gap = float(mean) - prior.mean
        return prior.with_parameters(
            mean=float(prior.mean + gap * n / (k + n)),
            strength=float(k + n),
            shape=float(prior.shape + 0.5 * n),
            scale=float(prior.scale + 0.5 * squares + 0.5 * k * n / (k + n) * gap**2),
        )

    def entropy(self) -> float:
        """Return ``log(2 pi e v) / 2``, the entropy of the law in nats."""
        return 0.5 * math.log(2.0 * math.pi * math.e * self.variance)

    def kl(self, other: Gaussian) -> float:
        """Return ``(v / w - 1 - log(v / w) + (m - l)^2 / w) / 2``, l and w those of `other`."""
        v, w = self.variance, other.variance
        gap = (self.mean - other.mean) / math.sqrt(w)
        return float(0.5 * (deviance(w, v) / w + gap * gap))

    def separation(self, other: Any) -> float | None:
        """Return the distance of the means in standard deviations, where both laws have the same."""
        same = type(other) is type(self) and other.variance == self.variance
        return abs(self.mean - other.mean) / math.sqrt(self.variance) if same else None

    def shifted(self, by: Any) -> Self:
        """Return the law with the mean m + by."""
        return self.with_parameters(mean=float(self.mean + by))
