"""The normal-inverse-gamma distribution: what is known of the mean and the variance of a Gaussian."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import digamma, gammaincinv, gammaln, polygamma, stdtrit

from empirisk.data.seeds import Seed, generator_of
from empirisk.data.sums import weighted_sum
from empirisk.distributions.base import LINE, POSITIVE, Distribution, Observations, check_between, numbers
from empirisk.distributions.exponential_member import ExponentialMember
from empirisk.distributions.gamma import Gamma, shape_of
from empirisk.distributions.stirling import deviance, digamma_rest
from empirisk.typing import Array, Interval

__all__ = ["NormalInverseGamma"]


@dataclass(frozen=True, eq=False)
class NormalInverseGamma(ExponentialMember):
    """``1 / v`` has the law Gamma(a, b), and m given v the Gaussian law with mean u and variance ``v / k``.

    A row is (m, v).  ``phi = (1 / v, m / v, m^2 / v, log v)``,
    ``eta = (-b - k u^2 / 2, k u, -k / 2, -a - 3/2)``,
    ``A = log Gamma(a) - a log b - log(k / (2 pi)) / 2``.

    Parameters
    ----------
    mean : float, default 0.0
        The mean u of m.
    strength : float, default 1.0
        The number k of rows that u is worth, above 0.
    shape : float, default 1.0
        The shape a of one over the variance, above 0: half as many rows as b is worth.
    scale : float, default 1.0
        The rate b of one over the variance, above 0.

    Examples
    --------
    >>> NormalInverseGamma(0.0, 1.0, 3.0, 2.0).mode().round(4)
    array([0.    , 0.4444])
    """

    mean: float = 0.0
    strength: float = 1.0
    shape: float = 1.0
    scale: float = 1.0

    name = "normal_inverse_gamma"
    closed_form = False
    growth = 2.0
    domains: ClassVar[dict[str, Interval]] = {
        "mean": LINE,
        "strength": POSITIVE,
        "shape": POSITIVE,
        "scale": POSITIVE,
    }

    def __post_init__(self) -> None:
        for name, domain in self.domains.items():
            check_between(self.name, name, getattr(self, name), domain)

    @property
    def dimension(self) -> int:
        """Two: a mean and a variance."""
        return 2

    @property
    def supports(self) -> tuple[Interval, ...]:
        """The line of the mean, and the numbers above 0 of the variance."""
        return (LINE, POSITIVE)

    @property
    def moment_order(self) -> float:
        """The shape a: the variance has moments of lower orders, and the mean of twice those."""
        return float(self.shape)

    def check(self, x: Array) -> None:
        """Refuse rows whose second number, a variance, is not above 0."""
        Distribution.check(self, x)
        bad = np.flatnonzero(~(x[:, 1] > 0.0))
        if len(bad):
            raise ValueError(
                f"x holds the variance {x[bad[0], 1]:g} in row {bad[0]} ({len(bad)} such rows in all), and "
                "variances are above 0; take them out"
            )

    @property
    def natural(self) -> Array:
        """``(-b - k u^2 / 2, k u, -k / 2, -a - 3/2)``, the natural parameters of this law."""
        u, k = self.mean, self.strength
        return np.array([-self.scale - 0.5 * k * u * u, k * u, -0.5 * k, -self.shape - 1.5])

    def from_natural(self, eta: Array) -> Self:
        """Return the law with these natural parameters."""
        k = -2.0 * float(eta[2])
        u = float(eta[1]) / k
        return self.at(np.array([u, k, -float(eta[3]) - 1.5, -float(eta[0]) - 0.5 * k * u * u]))

    def natural_jacobian(self) -> Array:
        """Return the derivatives of eta in u, k, a and b."""
        u, k = self.mean, self.strength
        return np.array(
            [
                [-k * u, -0.5 * u * u, 0.0, -1.0],
                [k, u, 0.0, 0.0],
                [0.0, -0.5, 0.0, 0.0],
                [0.0, 0.0, -1.0, 0.0],
            ]
        )

    @property
    def _precision(self) -> Gamma:
        """The Gamma law of ``1 / v``, whose formulas keep their digits at large shapes."""
        return Gamma(self.shape, self.scale)

    def score(self, x: Any) -> Array:
        """Return the derivatives ``k (m - u) / v``, ``(1 / k - (m - u)^2 / v) / 2``, ``log(b / v) - psi(a)``
        and ``a / b - 1 / v`` in u, k, a and b.
        """
        rows = numbers(x, 2)
        k, a, b = self.strength, self.shape, self.scale
        gap, g = rows[:, 0] - self.mean, 1.0 / rows[:, 1]
        in_shape = np.log(b * g / a) - digamma_rest(a)
        return np.column_stack([k * gap * g, 0.5 * (1.0 / k - gap * gap * g), in_shape, (a - b * g) / b])

    def fisher_information(self) -> Array:
        """Return ``diag(k a / b, 1 / (2 k^2))`` for u and k, and that of the Gamma law for a and b."""
        return self._joined(self._precision.fisher_information(), False)

    def inverse_information(self) -> Array:
        """Return the inverse of the Fisher information, of each of its three blocks."""
        return self._joined(self._precision.inverse_information(), True)

    def _joined(self, of_precision: Array, inverse: bool) -> Array:
        """Return a matrix of the information of u, of k, and of a and b, which do not tell of each other."""
        k = self.strength
        out = np.zeros((4, 4))
        own = (k * (self.shape / self.scale), 0.5 / k / k)
        out[0, 0], out[1, 1] = (1.0 / v for v in own) if inverse else own
        out[2:, 2:] = of_precision
        return out

    def entropy(self) -> float:
        """Return that of ``1 / v``, ``log(2 pi e / k) / 2``, and 5/2 times the mean of ``log v``."""
        a = self.shape
        log_v = -(math.log(a / self.scale) + float(digamma_rest(a)))
        of_mean = 0.5 * math.log(2.0 * math.pi * math.e / self.strength)
        return self._precision.entropy() + of_mean + 2.5 * log_v

    def kl(self, other: NormalInverseGamma) -> float:
        """Return that of the two Gamma laws, and ``(l / k - 1 - log(l / k) + l (u - w)^2 a / b) / 2``.

        Here l and w are strength and mean of `other`.
        """
        k, at = self.strength, other.strength
        gap = self.mean - other.mean
        of_mean = float(deviance(k, at)) / k + at * gap * gap * (self.shape / self.scale)
        return self._precision.kl(other._precision) + 0.5 * of_mean

    def statistics(self, x: Array) -> Array:
        """Return ``1 / v, m / v, m^2 / v, log v``, the statistics of each row."""
        with np.errstate(divide="ignore", invalid="ignore"):
            m, g = x[:, 0], 1.0 / x[:, 1]
            return np.column_stack([g, m * g, m * m * g, np.log(x[:, 1])])

    def log_partition(self, eta: Array) -> float:
        """Return ``log Gamma(a) - a log b - log(k / (2 pi)) / 2``, the log-partition at natural parameters
        eta.
        """
        law = self.from_natural(eta)
        inner = gammaln(law.shape) - law.shape * math.log(law.scale)
        return float(inner - 0.5 * math.log(law.strength / (2.0 * math.pi)))

    def mean_statistics(self, eta: Array) -> Array:
        """Return ``a / b, u a / b, u^2 a / b + 1 / k, log b - psi(a)``, the mean of the statistics at eta."""
        law = self.from_natural(eta)
        u, g = law.mean, law.shape / law.scale
        last = math.log(law.scale) - float(digamma(law.shape))
        return np.array([g, u * g, u * u * g + 1.0 / law.strength, last])

    def covariance_statistics(self, eta: Array) -> Array:
        """Return the covariance of the four: with G = 1/v, ``m = u + z / sqrt(k G)``, z standard."""
        law = self.from_natural(eta)
        u, k, a, b = law.mean, law.strength, law.shape, law.scale
        along, across = np.array([1.0, u, u * u, 0.0]), np.array([0.0, 1.0, 2.0 * u, 0.0])
        last = np.array([0.0, 0.0, 0.0, 1.0])
        out = a / b**2 * np.outer(along, along) + a / (b * k) * np.outer(across, across)
        out += polygamma(1, a) * np.outer(last, last) - (np.outer(along, last) + np.outer(last, along)) / b
        out[2, 2] += 2.0 / k**2
        return np.asarray(out)

    def likeliest(self, mean: Array) -> tuple[Self, float]:
        """Return the law at which the statistics have these means: one equation, for the shape, is solved."""
        u = mean[1] / mean[0]
        return self._solved(u, mean[2] - u * mean[1], mean[0], math.log(mean[0]) + mean[3])

    def likeliest_of(self, mean: Array, rows: Observations) -> tuple[Self, float]:
        """Return the law as ``likeliest`` does, from deviations: the rows are read once more.

        With ``g = 1 / v`` and ``r = g / mean(g) - 1``, the logarithm of the mean of g less the mean of its
        logarithms is the mean of ``r - log(1 + r)``, and squares are taken about u: no digits are lost.
        """
        at, u = float(mean[0]), float(mean[1] / mean[0])

        def deviations(x: Array, s: Array) -> Array:
            g, gap = 1.0 / x[:, 1], x[:, 0] - u
            r = (g - at) / at
            return np.array(
                [weighted_sum(s, f) for f in (r, deviance(1.0, 1.0 + r, -r), g * gap, g * gap * gap)]
            )

        first, second, moved, squares = rows.map_sum(deviations) / rows.total
        g = at * (1.0 + first)
        return self._solved(u + moved / g, squares - moved * moved / g, g, second - 0.5 * first * first)

    def _solved(self, mean: float, inverse: float, precision: float, spread: float) -> tuple[Self, float]:
        """Return the law with ``1 / k``, ``a / b`` and ``log a - psi(a)`` given, and what the last lacks."""
        a, left = shape_of(float(spread))
        if not inverse > 0.0:
            raise ValueError(
                "all means in x are the same: strength would be infinite; look at where x comes from"
            )
        return self.at(np.array([mean, 1.0 / inverse, a, a / precision])), left

    def likelihood_of(self, total: float, sums: Array, base: float) -> float | None:
        """Return None: the terms of the sums cancel for large shapes and for means far from 0."""
        return None

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law with these means and variances of m and v."""
        a = 2.0 + mean[1] ** 2 / variance[1, 1]
        b = mean[1] * (a - 1.0)
        return self.at(np.array([mean[0], b / ((a - 1.0) * variance[0, 0]), a, b]))

    def log_prob(self, x: Any) -> Array:
        """Return the logarithm of the density; -inf where the second number is not above 0.

        It is that of ``1 / v`` under its Gamma law, that of m given v, and ``-2 log v`` for the change of
        variable.
        """
        rows = numbers(x, 2)
        inside = (rows[:, 1] > 0.0) & np.isfinite(rows).all(axis=1)
        m, v = np.where(inside, rows[:, 0], 0.0), np.where(inside, rows[:, 1], 1.0)
        of_mean = (
            0.5 * math.log(self.strength / (2.0 * math.pi)) - 0.5 * self.strength * (m - self.mean) ** 2 / v
        )
        return np.where(inside, self._precision.log_prob(1.0 / v) - 2.5 * np.log(v) + of_mean, -np.inf)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent pairs of mean and variance."""
        rng = generator_of(random_state)
        v = 1.0 / rng.gamma(self.shape, 1.0 / self.scale, size)
        return np.column_stack([self.mean + np.sqrt(v / self.strength) * rng.standard_normal(size), v])

    def moments(self) -> tuple[Array, Array]:
        """Return the means and the covariance of m and v; NaN or infinite where a is at most 1 or 2."""
        a, b = self.shape, self.scale
        v = b / (a - 1.0) if a > 1.0 else math.inf
        spread = v * v / (a - 2.0) if a > 2.0 else math.inf
        return np.array([self.mean, v]), np.diag([v / self.strength, spread])

    def mode(self) -> Array:
        """Return ``(u, b / (a + 3/2))``, the place of the largest density."""
        return np.array([self.mean, self.scale / (self.shape + 1.5)])

    def credible(self, level: float) -> Array:
        """Return the middle of m, which has Student's law, and of v."""
        tail, a, b = 0.5 * (1.0 - level), self.shape, self.scale
        half = float(stdtrit(2.0 * a, 1.0 - tail)) * math.sqrt(b / (a * self.strength))
        ends = [b / float(gammaincinv(a, 1.0 - tail)), b / float(gammaincinv(a, tail))]
        return np.array([[self.mean - half, self.mean + half], ends])
