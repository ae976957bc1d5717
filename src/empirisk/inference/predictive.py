"""Predictive laws: where a new target will fall, given its mean and the dispersion."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from empirisk.inference.law import Law
from empirisk.typing import Array

__all__ = ["no_predictive", "predictive_quantiles"]

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_STEEP = 0.5  # ratio of the deviations of the mean and of a count from which on many parts are taken
_MOST = 1 << 21  # numbers of means that are held at a time
# The chance beyond an end from which on parts are taken, and below which floats tell nothing; the share of it
# that a part has of what lies beyond it; the largest mean and target; steps of a search.
_FAR, _LEAST, _SHARE, _LARGEST, _STEPS = 5.1e-5, 1e-12, 0.02, 1e300, 1100


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

    The law is mixed over the normal distribution of the estimated score, so that the noise of the
    coefficients is in it; the dispersion is taken as known.  For counts the ends are the whole numbers at
    which the distribution function passes the tails, so that the interval covers at least `level`.

    41 Gauss-Hermite nodes do where the distribution function is smooth in the score.  Where counts vary much
    less than their mean does it is a step, and far out in the tails no few nodes are enough: there the line
    is cut into parts, each with 1/50 of the chance beyond it (less for tails of more than 1/20), and since
    the function falls in the score, its values at both ends of each part bound its mean.  The bound that
    makes the interval wider is taken.

    Raises
    ------
    ValueError
        A level so near to 1 that floats do not tell chances beyond the ends.
    """
    tail = 0.5 * (1.0 - level)
    if tail < _LEAST:
        raise ValueError(
            f"level={level!r} leaves a chance of {tail:.2g} beyond each end of an interval of new targets, "
            f"which floats do not tell from 0 beside 1; give a level of at most 1 - {2.0 * _LEAST:g}"
        )
    low, high = np.empty(len(score)), np.empty(len(score))
    typical = np.asarray(law.loss.mean(score))
    steep = law.loss.counts & (se * np.sqrt(typical) > _STEEP)
    if tail < _FAR:
        steep = se > 0.0
    for rows, rule in ((~steep, _Rule(_NODES, _WEIGHTS, _WEIGHTS, 0.0)), (steep, _parts(tail))):
        at = np.flatnonzero(rows)
        for part in np.array_split(at, 1 + len(at) * len(rule.nodes) // _MOST):
            low[part], high[part] = _ends(law, score[part], se[part], dispersion, rule, tail)
    return low, high


class _Rule(NamedTuple):
    """Nodes with weights of which sums are at least, and at most, the mean of what rises with them.

    Parameters
    ----------
    nodes : array, shape (m,)
    above, below : array, shape (m,)
        The weights; both leave out the chance `rest`, where the function is 1 or 0.
    rest : float
    """

    nodes: Array
    above: Array
    below: Array
    rest: float


def _parts(tail: float) -> _Rule:
    """Return the rule of parts: geometric in the chance beyond them, from the middle to 1/50 of the tail.

    Tails of more than 1/20 have finer parts: theirs hold more chance, and the ends would be wider.
    """
    share = _SHARE * min(1.0, 0.05 / tail)
    least = share * tail
    count = math.ceil(math.log(0.5 / least) / share)
    beyond = least * np.exp(np.linspace(0.0, math.log(0.5 / least), count + 1))
    edges = ndtri(beyond)
    weights = np.diff(beyond)
    weights = np.concatenate([[least], weights, weights[::-1], [least]])
    return _Rule(np.concatenate([edges, -edges[-2::-1]]), weights[:-1], weights[1:], least)


def _ends(
    law: Law, score: Array, se: Array, dispersion: float, rule: _Rule, tail: float
) -> tuple[Array, Array]:
    """Return both ends of intervals with at most so much chance beyond each, by a rule of nodes."""
    if len(score) == 0:
        return score, score
    with np.errstate(over="ignore"):
        means = np.minimum(law.loss.mean(score[:, None] + se[:, None] * rule.nodes), _LARGEST)

    def cdf(y: Array) -> Array:
        """Return the chance of at most y for each score."""
        return np.asarray(law.loss.cdf(y[:, None], means, dispersion))

    start, counts = np.ceil(np.asarray(law.loss.mean(score))) + 1.0, law.loss.counts
    start = np.minimum(start, _LARGEST)
    low = _invert(lambda y: cdf(y) @ rule.below + rule.rest >= tail, start, counts)
    return low, _invert(lambda y: (1.0 - cdf(y)) @ rule.above + rule.rest <= tail, start, counts)


def _invert(enough: Callable[[Array], Any], start: Array, counts: bool) -> Array:
    """Return the smallest y >= 0 that is enough, by doubling and bisection (whole numbers for counts)."""
    low, high = np.full(len(start), -1.0 if counts else 0.0), start
    for _ in range(_STEPS):
        short = ~enough(high)
        if not short.any():
            break
        low, high = np.where(short, high, low), np.where(short, np.minimum(2.0 * high, _LARGEST), high)
        if (high >= _LARGEST).any():
            break
    for _ in range(_STEPS):
        wide = high > 4.0 * (low + 2.0)  # of which the logarithm is halved
        middle = np.where(wide, np.sqrt(low + 2.0) * np.sqrt(high), 0.5 * (low + high))
        if counts:
            middle = np.floor(middle)
        if np.all((middle <= low) | (middle >= high) | (high - low <= 1e-12 * high)):
            break
        found = enough(middle)
        low, high = np.where(found, low, middle), np.where(found, middle, high)
    return np.asarray(high)
