"""What laws of whole numbers share: chances outside of the support, and sums over the counts that matter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from empirisk.typing import Array

__all__ = ["counts_and_weights", "counts_near", "masked", "plogp_sum", "quotient", "trial_score"]

# Standard deviations around the mean, and counts beyond, outside of which a law with exponential tails has a
# mass below the spacing of floats.
_WIDTH, _MORE = 40.0, 100.0
# Most counts that are summed up one by one.
_MOST = 20_000_000
# Counts beyond which a smooth sum is an integral to eleven digits.
_DENSE = 65_536
# Beyond, floats soon skip whole numbers.
_TOLD = 1e15


def masked(law: Any, x: Array, log_chance: Callable[[Array], Any]) -> Array:
    """Return ``log_chance`` of the whole numbers in the support, and -inf elsewhere.

    Examples
    --------
    >>> from empirisk.distributions.poisson import Poisson
    >>> masked(Poisson(1.0), np.array([0.0, 0.5, -1.0]), np.ones_like)
    array([  1., -inf, -inf])
    """
    inside = law.support.contains(x) & (np.floor(x) == x)
    safe = np.where(inside, x, max(law.support.low, 0.0))
    return np.where(inside, log_chance(safe), -np.inf)


def counts_and_weights(law: Any) -> tuple[Array, Array]:
    """Return numbers and weights for sums over all counts of what is smooth beyond 65,536 of them.

    Counts stand one by one first; then panels of Gauss and Legendre carry the integral that a sum of smooth
    terms is but for ``f'' / 24``, wider and wider, at most half of the scale on which chances vary.
    """
    low, high, deviation = _reach(law)
    # The scale on which chances vary: near the mean, and in the tail.
    smooth = max(deviation, deviation * deviation / max(law.moments()[0], 1e-300))
    if not high < _TOLD:
        raise ValueError(
            f"the {law.title} with mean {law.moments()[0]:.3g} has counts beyond {_TOLD:.0g}, too many for a "
            "number that has no closed form"
        )
    if high - low <= _DENSE:
        x = np.arange(low, high + 1.0)
        return x, np.ones_like(x)
    first = np.arange(low, low + _DENSE)
    cuts = [low + _DENSE - 0.5]
    while cuts[-1] < high:
        cuts.append(cuts[-1] + max(256.0, min(0.05 * (cuts[-1] - low), 0.5 * smooth)))
    at, weight = np.polynomial.legendre.leggauss(24)
    half = 0.5 * np.diff(cuts)
    nodes = np.asarray(cuts)[:-1, None] + half[:, None] * (at + 1.0)
    return np.append(first, nodes), np.append(np.ones_like(first), half[:, None] * weight)


def _reach(law: Any) -> tuple[float, float, float]:
    """The first and the last count that matter, and the standard deviation."""
    mean, variance = law.moments()
    deviation = math.sqrt(variance)
    reach = _WIDTH * deviation
    low = max(law.support.low, math.floor(mean - reach - _MORE))
    high = min(law.support.high, math.ceil(mean + reach + _MORE * (1.0 + variance / max(mean, 1e-300))))
    return low, high, deviation


def counts_near(law: Any) -> Array:
    """Return the counts that carry all of the mass but what floats cannot tell from 0.

    Raises
    ------
    ValueError
        Where they are too many to be summed up.
    """
    low, high, _ = _reach(law)
    if high - low > _MOST:
        raise ValueError(
            f"the {law.title} with mean {law.moments()[0]:.3g} has {high - low:.2g} counts that matter, too "
            "many to be summed up for a number that has no closed form"
        )
    return np.arange(low, high + 1.0)


def plogp_sum(law: Any, x: Array) -> float:
    """Return ``-sum P(x) log P(x)`` over the given counts, in nats."""
    log = law.log_prob(x)
    with np.errstate(invalid="ignore"):
        return float(-np.where(log > -np.inf, np.exp(log) * log, 0.0).sum())


def quotient(above: float, below: float) -> float:
    """Return ``above / below`` of two numbers >= 0, infinite where the second is 0.

    Examples
    --------
    >>> quotient(1.0, 0.0)
    inf
    """
    return above / below if below > 0.0 else math.inf


def trial_score(ones: Array, zeros: Array, p: float) -> Array:
    """Return the derivative of ``ones log p + zeros log(1 - p)`` in p, (n, 1); no ones have none, at p = 0,
    too.

    Examples
    --------
    >>> trial_score(np.array([0.0, 1.0]), np.array([1.0, 0.0]), 0.0).tolist()
    [[-1.0], [inf]]
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        up = np.where(ones > 0.0, ones / np.float64(p), 0.0)
        down = np.where(zeros > 0.0, zeros / np.float64(1.0 - p), 0.0)
        return np.asarray((up - down)[:, None])
