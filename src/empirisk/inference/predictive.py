"""Predictive laws: where a new target will fall, given its mean and the dispersion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from empirisk.inference.law import Law
from empirisk.typing import Array

__all__ = ["no_predictive", "predictive_quantiles"]

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def no_predictive(law: Law) -> str:
    """Return why a family has no prediction band; empty when it has one."""
    if law.loss.name in _CDF:
        return ""
    if law.loss.labels or law.loss.name == "bernoulli":
        return (
            "no prediction interval: the target is one of two labels, and an interval of labels says "
            "nothing; "
            'kind="confidence" gives the interval of the probability'
        )
    return (
        f"no prediction interval: the law of a new target under {law.loss.name!r} has no closed distribution "
        'function here; kind="confidence" gives the interval of the mean'
    )


def predictive_quantiles(
    law: Law, score: Array, se: Array, dispersion: float, level: float
) -> tuple[Array, Array]:
    """Ends of the interval that holds a new target with probability `level`, shape (n,) each.

    The law is mixed over the normal distribution of the estimated score (41 Gauss-Hermite nodes), so that the
    noise of the coefficients is in it; the dispersion is taken as known.  For counts the ends are the whole
    numbers at which the distribution function passes the tails, so that the interval covers at least `level`.
    """
    means = law.loss.mean(score[:, None] + se[:, None] * _NODES)
    cdf = _CDF[law.loss.name]
    shape = dispersion if not hasattr(law.loss, "a") else float(law.loss.a)

    def below(y: Array) -> Array:
        return np.asarray(cdf(y[:, None], means, shape) @ _WEIGHTS)

    counts = law.loss.name in ("poisson", "negative_binomial")
    tail = 0.5 * (1.0 - level)
    return _invert(below, tail, means, counts), _invert(below, 1.0 - tail, means, counts)


def _gamma(y: Array, mean: Array, dispersion: float) -> Array:
    return np.asarray(stats.gamma.cdf(y, 1.0 / dispersion, scale=mean * dispersion))


def _inverse_gaussian(y: Array, mean: Array, dispersion: float) -> Array:
    return np.asarray(stats.invgauss.cdf(y, mean * dispersion, scale=1.0 / dispersion))


def _negative_binomial(y: Array, mean: Array, a: float) -> Array:
    return np.asarray(stats.nbinom.cdf(y, 1.0 / a, 1.0 / (1.0 + a * mean)))


_CDF: dict[str, Callable[[Array, Array, float], Array]] = {
    "half_squared": lambda y, mean, dispersion: np.asarray(stats.norm.cdf(y, mean, np.sqrt(dispersion))),
    "poisson": lambda y, mean, dispersion: np.asarray(stats.poisson.cdf(y, mean)),
    "negative_binomial": _negative_binomial,
    "gamma": _gamma,
    "inverse_gaussian": _inverse_gaussian,
}


def _invert(below: Callable[[Array], Array], q: float, means: Array, counts: bool) -> Array:
    """Return the smallest y >= 0 with ``below(y) >= q``, by doubling and bisection (whole numbers for
    counts).
    """
    low = np.full(len(means), -1.0 if counts else 0.0)
    high = np.ceil(means.max(axis=1)) + 1.0
    for _ in range(200):
        short = below(high) < q
        if not short.any():
            break
        low, high = np.where(short, high, low), np.where(short, 2.0 * high, high)
    for _ in range(200):
        middle = 0.5 * (low + high)
        if counts:
            middle = np.floor(middle)
        if np.all((middle <= low) | (middle >= high)) or np.all(high - low <= 1e-12 * high):
            break
        enough = below(middle) >= q
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(high)
