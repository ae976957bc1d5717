"""Sums over whole numbers from a first one on, carried as far as a bound of what is left asks for.

Counts are added octave by octave.  Where the sum over the last one is q < 1 times that over the one before,
and the ratios do not rise beyond, as they do not for powers and for whatever falls faster, what is left is at
most ``q / (1 - q)`` times the last one (the condensation of Cauchy).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

from empirisk.distributions.adaptive import Grid
from empirisk.typing import Array, Interval

__all__ = ["count_sum", "whole_ends"]

# Counts of the first sum, and of the last: beyond, arrays of a law would fill gigabytes.
_FIRST, _MOST = 16_384, 1_048_576
# The share of the sum that may be left, and the share at which no more counts are added.
_TAIL, _ENOUGH = 1e-12, 1e-18
# Counts at the end that are looked at first, so that sums without an end are not begun.
_LAST = 24


def count_sum(log_terms: Callable[[Array], Array], low: float, high: float) -> Grid:
    """Return the counts from `low` to `high` that carry the sum of ``exp(log_terms)``, and what each carries.

    Examples
    --------
    >>> geometric = count_sum(lambda k: -0.001 * k, 0.0, math.inf)
    >>> bool(np.isclose(geometric.log_whole, -np.log(-np.expm1(-0.001)), rtol=1e-13))
    True
    >>> count_sum(lambda k: -2.0 * np.log1p(k), 0.0, math.inf).why[:52]
    'the sum over 1,048,576 counts is not at its end: abo'
    """

    def terms(x: Array) -> Array:
        log = log_terms(x)
        return np.where(np.isnan(log), -np.inf, log)

    end = min(high, low + _FIRST - 1.0)
    log = terms(np.arange(low, end + 1.0))
    if end < high:
        farthest = min(high, low + _MOST - 1.0)
        at = np.unique(np.floor(np.geomspace(1.0, farthest - low + 1.0, 200))) - 1.0
        last = float(terms(np.arange(farthest - _LAST, farthest + 1.0)).max())
        if farthest < high and last > log.max() and last >= terms(low + at).max():
            why = (
                f"the terms of the sum over counts are largest at the end of the {_MOST:,} that are added: "
                "it has no bound, or its mass lies farther out"
            )
            return Grid(np.zeros(1), np.zeros(1), math.inf, np.zeros(1), 0.0, 1.0, why)
        while end < high and end - low + 1.0 < _MOST and not _rest(log) < _ENOUGH:
            begin, end = end + 1.0, min(high, low + 2.0 * len(log) - 1.0)
            log = np.concatenate([log, terms(np.arange(begin, end + 1.0))])
    whole = float(logsumexp(log))
    mass = np.exp(log - whole) if math.isfinite(whole) else np.zeros_like(log)
    left, why = (0.0 if end >= high else _rest(log)), ""
    if math.isfinite(whole) and not left < _TAIL:
        much = f"about {left:.1g} of it may be left" if left < 1.0 else "more than the sum itself may be left"
        why = f"the sum over {len(log):,} counts is not at its end: {much}, and 1e-12 is asked for"
    x = np.arange(low, end + 1.0)
    return Grid(x, x, whole, mass, 0.0, left, why)


def _rest(log: Array) -> float:
    """Return what is left beyond the last of these terms at most, as a share of their sum."""
    half, quarter = len(log) // 2, len(log) // 4
    with np.errstate(invalid="ignore"):
        whole, last, before = (float(logsumexp(part)) for part in (log, log[half:], log[quarter:half]))
    if last == -math.inf:
        return 1.0 if whole == -math.inf else 0.0
    ratio = math.exp(min(last - before, 0.0))
    return math.exp(last - whole) * ratio / (1.0 - ratio) if ratio < 1.0 else math.inf


def whole_ends(within: Interval) -> tuple[float, float]:
    """Return the first and the last whole number of an interval, which may go on without an end.

    Examples
    --------
    >>> whole_ends(Interval(0.0, 3.0, low_closed=False, high_closed=False))
    (1.0, 2.0)
    """
    low, high = float(math.ceil(within.low)), within.high
    low += not within.contains(np.asarray(low)) and low == within.low
    if math.isfinite(high):
        high = float(math.floor(high))
        high -= not within.contains(np.asarray(high)) and high == within.high
    if low > high:
        raise ValueError(f"within is {within}, which holds no whole number; give a wider interval")
    return low, high
