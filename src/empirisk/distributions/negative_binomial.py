"""The negative binomial distribution of counts, by its mean and its dispersion."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import betaincc, polygamma

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import (
    POSITIVE,
    Distribution,
    Fitted,
    Observations,
    check_between,
    numbers,
)
from empirisk.distributions.lattice import counts_and_weights, masked
from empirisk.distributions.root import falling_root
from empirisk.distributions.stirling import binomial_log, curvature_rest, deviance, digamma_rest_gap
from empirisk.results import Certificate, Kind
from empirisk.typing import Array, Interval

__all__ = ["NegativeBinomial"]


# Counts below it are tallied in an array, larger ones by sorting; of a block so few rows are kept as they are
_TALLIED, _FEW = 1 << 20, 2048
# Up to this size the second derivative of the likelihood has digits enough for Newton's steps.
_PLAIN = 100.0


@dataclass(frozen=True, eq=False)
class NegativeBinomial(Distribution):
    """``P(x) = Gamma(x + 1/a) / (x! Gamma(1/a)) (a m / (1 + a m))^x (1 + a m)^(-1/a)`` for x = 0, 1, 2, ...

    Mean m and variance ``m + a m^2``: a Poisson law whose rate has a Gamma law.  As in
    :class:`empirisk.losses.NegativeBinomial`, a is what statsmodels calls ``alpha``; R's ``size`` and SciPy's
    ``n`` are 1/a.

    Parameters
    ----------
    mean : float, default 1.0
        The mean m, above 0.
    dispersion : float, default 1.0
        The extra dispersion a, above 0.

    Examples
    --------
    >>> np.exp(NegativeBinomial(1.0, 1.0).log_prob([0, 1])).round(4)
    array([0.5 , 0.25])
    """

    mean: float = 1.0
    dispersion: float = 1.0

    name = "negative_binomial"
    discrete = True
    domains: ClassVar[dict[str, Interval]] = {"mean": POSITIVE, "dispersion": POSITIVE}

    def __post_init__(self) -> None:
        check_between(self.name, "mean", self.mean, POSITIVE)
        check_between(self.name, "dispersion", self.dispersion, POSITIVE)

    @property
    def support(self) -> Interval:
        """The counts from 0 on, outside of which the law has no mass."""
        return Interval(0.0, math.inf, high_closed=False)

    def maximise(self, data: Observations) -> Fitted:
        """Return the mean of the counts, and the dispersion at which the derivative of the likelihood is 0.

        One pass tallies the counts, so that a step of the search costs as much as there are different ones.
        """
        counts, weight = tally(data)
        total = weight.sum()
        mean = float((weight * counts).sum() / total)
        spread = float((weight * (counts - mean) ** 2).sum() / total)
        if not spread > mean:
            raise ValueError(
                f"the counts of x vary no more than Poisson's (mean {mean:.4g}, variance {spread:.4g}): the "
                "likelihood grows as the dispersion falls to 0; fit er.distributions.Poisson"
            )

        share = weight / total

        def slope(log_size: float) -> tuple[float, float]:
            size = math.exp(log_size)
            bend = float(share @ _size_bends(counts, mean, size))
            return float(share @ _size_slopes(counts, mean, size)), bend * size

        size = math.exp(falling_root(slope, math.log(mean**2 / (spread - mean))))
        member = self.with_parameters(mean=mean, dispersion=1.0 / size)
        slopes = _size_slopes(counts, mean, size)
        left = abs(float(share @ slopes)) / max(1e-300, math.sqrt(float(share @ slopes**2)))
        claim = (
            f"the derivative of the mean log-likelihood in the dispersion is {left:.1g} standard deviations, "
            "and 0 in the mean: the only stationary point where the counts vary more than Poisson's"
        )
        likelihood = float(weight @ member.log_prob(counts))
        return Fitted(member, Certificate(Kind.STATIONARITY, left, 1.0, claim), likelihood)

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law with this mean and the dispersion ``(v - m) / m^2``."""
        if not variance > mean:
            raise ValueError(
                f"a negative binomial law has a variance above its mean, and here they are {variance:.4g} "
                f"and {mean:.4g}; fit er.distributions.Poisson"
            )
        return self.with_parameters(mean=float(mean), dispersion=float((variance - mean) / mean**2))

    def log_prob(self, x: Any) -> Array:
        """Return the logarithm of the chance of each row; -inf for what is no count."""
        return masked(self, numbers(x), self._log_chance)

    def _log_chance(self, k: Array) -> Array:
        """The logarithm of the chance of counts, and its smooth continuation between them."""
        size, m = 1.0 / self.dispersion, self.mean
        # The chance of `size` ones and k zeros, times that of a one at the end: no differences of
        # logarithms of large Gamma functions.
        ones = binomial_log(np.full_like(k, size), k, size / (size + m), m / (size + m))
        return np.asarray(ones - np.log1p(k / size))

    def score(self, x: Any) -> Array:
        """Return the derivatives of ``log_prob`` in m and in a."""
        return self._slopes(numbers(x))

    def _slopes(self, k: Array) -> Array:
        """The derivatives at counts, and their smooth continuation between them."""
        size, m = 1.0 / self.dispersion, self.mean
        in_mean = (k - m) / (m * (1.0 + m / size))
        return np.column_stack([in_mean, -size * (size * _size_slopes(k, m, size))])

    def fisher_information(self) -> Array:
        """Return the information of m, ``1 / (m + a m^2)``, and that of a, summed up over the counts."""
        x, weight = counts_and_weights(self)
        in_dispersion = (weight * np.exp(self._log_chance(x)) * self._slopes(x)[:, 1] ** 2).sum()
        return np.diag([1.0 / self.moments()[1], in_dispersion])

    def inverse_information(self) -> Array:
        """Return the inverse of the Fisher information, which is diagonal."""
        F = self.fisher_information()
        return np.diag([1.0 / float(F[0, 0]), 1.0 / float(F[1, 1])])

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent draws: of a Poisson law whose rate is drawn from a Gamma law."""
        rng = generator_of(random_state)
        rate = rng.gamma(1.0 / self.dispersion, self.dispersion * self.mean, size)
        return rng.poisson(rate).astype(np.float64)

    def moments(self) -> tuple[float, float]:
        """Return m and ``m + a m^2``, the mean and the variance of a draw."""
        return float(self.mean), self.mean + self.dispersion * self.mean * self.mean

    def cdf(self, x: Any) -> Array:
        """Return the chance of a draw of at most x."""
        rows = np.floor(numbers(x))
        size = 1.0 / self.dispersion
        chance = betaincc(np.maximum(rows, 0.0) + 1.0, size, self.mean / (size + self.mean))
        return np.where(rows < 0.0, 0.0, chance)

    def frozen(self) -> Any:
        """Return ``scipy.stats.nbinom`` with these parameters, which is the same law in SciPy."""
        from scipy import stats

        return stats.nbinom(1.0 / self.dispersion, 1.0 / (1.0 + self.dispersion * self.mean))

    def entropy(self) -> float:
        """Return ``-sum_x P(x) log P(x)``, summed up over the counts: there is no closed form."""
        x, weight = counts_and_weights(self)
        log = self._log_chance(x)
        return float(-(weight * np.exp(log) * np.where(log > -700.0, log, 0.0)).sum())

    def kl(self, other: NegativeBinomial) -> float:
        """Return the divergence: closed for the same dispersion, else summed up over the counts."""
        if self.dispersion == other.dispersion:
            size, m, at = 1.0 / self.dispersion, self.mean, other.mean
            value = float(deviance(m, at) - deviance(m + size, at + size, m - at))
            return 0.0 if value < 0.0 else value  # rounding
        x, weight = counts_and_weights(self)
        log = self._log_chance(x)
        gap = np.where(log > -700.0, log - other._log_chance(x), 0.0)
        return float((weight * np.exp(log) * gap).sum())


def tally(data: Observations) -> tuple[Array, Array]:
    """Return the different counts and how much weight each has."""
    parts: list[tuple[Array, Array]] = data.map_sum(
        lambda x, s: [_of_block(x, s) if len(x) > _FEW else (x, s)]
    )
    return _of_block(np.concatenate([v for v, _ in parts]), np.concatenate([s for _, s in parts]))


def _of_block(x: Array, s: Array) -> tuple[Array, Array]:
    """The different numbers of a block in ascending order, and the weight of each."""
    if len(x) and x.max() < _TALLIED:
        weights: Array = np.bincount(x.astype(np.intp), weights=s).astype(np.float64)
        there = np.flatnonzero(weights)
        return there.astype(np.float64), weights[there]
    values, where = np.unique(x, return_inverse=True)
    weight: Array = np.bincount(where.ravel(), weights=s, minlength=len(values)).astype(np.float64)
    return values, weight


def _size_slopes(k: Array, mean: float, size: float) -> Array:
    """Return ``psi(k + n) - psi(n) - log(1 + m / n) - (k - m) / (m + n)``, the derivatives in ``n = 1/a``.

    Terms of the order 1/n cancel, so that those of the order 1/n^2 are added up without them.
    """
    u = (k - mean) / (mean + size)
    return np.asarray(digamma_rest_gap(size, k) - deviance(1.0, 1.0 + u, -u))


def _size_bends(k: Array, mean: float, size: float) -> Array:
    """Return the derivatives of these in n, up to a multiple of ``k - m``, whose mean over the rows is 0.

    They are ``psi'(n + k) - psi'(n) + m / n / (m + n)``, where that does not cancel, and with
    ``r(x) = psi'(x) - 1 / x`` they are ``r(n + k) - r(n) + u^2 / (1 + u) / (m + n)``.
    """
    if size < _PLAIN:
        return np.asarray(polygamma(1, size + k) - polygamma(1, size) + mean / size / (mean + size))
    u = (k - mean) / (mean + size)
    return np.asarray(curvature_rest(size + k) - curvature_rest(size) + u * u / (1.0 + u) / (mean + size))
