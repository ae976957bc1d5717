"""Predictive laws: where a new target will fall, given its mean and the dispersion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from empirisk.inference.law import Law
from empirisk.typing import Array

__all__ = ["no_predictive", "predictive_quantiles"]

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def no_predictive(law: Law) -> str:
    """Return why a family has no prediction band; empty when it has one."""
    if law.loss.predictive:
        return ""
    if law.loss.labels or law.loss.shares:
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
    """Return the ends of the interval that holds a new target with probability `level`, shape (n,) each.

    The law is mixed over the normal distribution of the estimated score (41 Gauss-Hermite nodes), so that the
    noise of the coefficients is in it; the dispersion is taken as known.  For counts the ends are the whole
    numbers at which the distribution function passes the tails, so that the interval covers at least `level`.
    """
    means = law.loss.mean(score[:, None] + se[:, None] * _NODES)

    def below(y: Array) -> Array:
        return np.asarray(law.loss.cdf(y[:, None], means, dispersion) @ _WEIGHTS)

    counts = law.loss.counts
    tail = 0.5 * (1.0 - level)
    return _invert(below, tail, means, counts), _invert(below, 1.0 - tail, means, counts)


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
