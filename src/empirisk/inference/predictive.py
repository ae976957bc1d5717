"""Predictive laws: where a new target will fall, given its mean and the dispersion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from empirisk.inference.law import Law
from empirisk.typing import Array

__all__ = ["no_predictive", "predictive_quantiles"]

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_STEEP = 0.5  # ratio of the deviations of the mean and of a count from which on many parts are taken
_MOST = 1 << 21  # numbers of means that are held at a time


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

    Where counts vary much less than their mean does, the distribution function is a step in the score, and
    few nodes make a staircase of its mean.  There the middles of 1,000 or more parts of equal chance are
    taken: the function is monotone in the score, so that their mean is off by at most half a part, which is
    left out of the tails.
    """
    low, high = np.empty(len(score)), np.empty(len(score))
    typical = np.asarray(law.loss.mean(score))
    steep = law.loss.counts & (se * np.sqrt(typical) > _STEEP)
    tail = 0.5 * (1.0 - level)
    parts = int(min(max(1_000.0, 5.0 / tail), 100_000.0))
    middles = ndtri((np.arange(parts) + 0.5) / parts)
    rules = (_NODES, _WEIGHTS, 0.0), (middles, np.full(parts, 1.0 / parts), min(0.5 / parts, 0.5 * tail))
    for rows, (nodes, weights, less) in zip((~steep, steep), rules, strict=True):
        at = np.flatnonzero(rows)
        for part in np.array_split(at, 1 + len(at) * len(nodes) // _MOST):
            ends = _ends(law, score[part], se[part], dispersion, (nodes, weights), tail - less)
            low[part], high[part] = ends
    return low, high


def _ends(
    law: Law, score: Array, se: Array, dispersion: float, rule: tuple[Array, Array], tail: float
) -> tuple[Array, Array]:
    """Return both ends of intervals with so much chance beyond each, by a rule of nodes and weights."""
    nodes, weights = rule
    if len(score) == 0:
        return score, score
    means = np.asarray(law.loss.mean(score[:, None] + se[:, None] * nodes))

    def below(y: Array) -> Array:
        """Return the chance of at most y, mixed over the score."""
        return np.asarray(law.loss.cdf(y[:, None], means, dispersion) @ weights)

    counts = law.loss.counts
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
