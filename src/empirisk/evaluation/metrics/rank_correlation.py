"""Rank correlations of what was predicted and what occurred: Spearman's rho and Kendall's tau-b.

They ask whether the model puts the rows in the right order, whatever its scale. Their influence values are
those of the functionals of the joint distribution: Croux and Dehon, Statistical Methods and Applications 19
(2010), here with ties and weights. Kendall, Rank Correlation Methods (1948), chapter 3, for tau-b.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from empirisk.evaluation.intervals.base import Floats, student_quantile, too_few
from empirisk.evaluation.metrics.predictions import REGRESSION, Predictions
from empirisk.evaluation.metrics.score import Limits, Score
from empirisk.inference.limits import wilson_limits

MIN_ROWS = 30

Ranked = Callable[[Floats, Floats, Floats], tuple[float, Floats]]


def spearman(x: Floats, y: Floats, w: Floats) -> tuple[float, Floats]:
    """``rho = cov(R, S)/sqrt(var R var S)`` of the mid-ranks R of x and S of y, and its influence values.

    ``R(x) = P(X < x) + P(X = x)/2``, weighted by w, whose mean is 1. NaN where one side is constant.

    Examples
    --------
    >>> x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])
    >>> round(spearman(x, y, np.ones(4))[0], 12)
    0.8
    """
    r, s = mid_ranks(x, w) - 0.5, mid_ranks(y, w) - 0.5
    both, left, right = (float(np.mean(w * a * b)) for a, b in ((r, s), (r, r), (s, s)))
    if min(left, right) <= 1e-14:
        return math.nan, np.zeros_like(x)
    value = both / math.sqrt(left * right)
    # A row moves a covariance of ranks itself, and by the ranks of all rows above it.
    of_both = r * s + above(x, w, s) + above(y, w, r) - 3.0 * both
    of_left, of_right = (a * a + 2.0 * above(z, w, a) - 3.0 * v for z, a, v in ((x, r, left), (y, s, right)))
    rows = of_both / math.sqrt(left * right) - 0.5 * value * (of_left / left + of_right / right)
    return value, rows


def kendall(x: Floats, y: Floats, w: Floats) -> tuple[float, Floats]:
    """``tau_b = E[sign(x - x') sign(y - y')]/sqrt(P(x != x') P(y != y'))`` and its influence values.

    The pairs of rows are counted in O(n log^2 n). NaN where one side is constant.

    Examples
    --------
    >>> x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])
    >>> round(kendall(x, y, np.ones(4))[0], 12)
    0.666666666667
    """
    n = x.size
    signs = (below(x, y, w) + below(-x, -y, w) - below(x, -y, w) - below(-x, y, w)) / n
    free_x, free_y = (1.0 - tied(z, w) / n for z in (x, y))
    both, left, right = (float(np.mean(w * a)) for a in (signs, free_x, free_y))
    if min(left, right) <= 1e-14:
        return math.nan, np.zeros_like(x)
    value = both / math.sqrt(left * right)
    rows = 2.0 * (signs - both) / math.sqrt(left * right)
    return value, rows - value * ((free_x - left) / left + (free_y - right) / right)


def mid_ranks(x: Floats, w: Floats) -> Floats:
    """Return ``P(X < x) + P(X = x)/2`` at each row, under weights with a mean of 1."""
    codes = np.unique(x, return_inverse=True)[1]
    mass = np.bincount(codes, w)
    return np.asarray((np.cumsum(mass) - 0.5 * mass)[codes] / x.size)


def above(x: Floats, w: Floats, values: Floats) -> Floats:
    """Return the mean of the values of the rows that lie above each row in x, where ties count half."""
    codes = np.unique(x, return_inverse=True)[1]
    sums = np.bincount(codes, w * values)
    return np.asarray((sums.sum() - np.cumsum(sums) + 0.5 * sums)[codes] / x.size)


def tied(x: Floats, w: Floats) -> Floats:
    """Return the weight of all rows that have the same value as each row, itself included."""
    codes = np.unique(x, return_inverse=True)[1]
    return np.asarray(np.bincount(codes, w)[codes], dtype=np.float64)


def below(x: Floats, y: Floats, w: Floats) -> Floats:
    """Return, for each row, the weight of the rows that are smaller in both x and y.

    One pass for each binary digit of the rank of y: of two rows whose ranks first differ at a digit, the
    smaller has the 0, so that the rows before it in x with a 0 there are summed within equal higher digits.
    """
    codes = np.unique(y, return_inverse=True)[1]
    order = np.lexsort((-codes, x))  # equal x: larger y first, so that no tie counts as smaller
    codes, weights, total = codes[order], w[order], np.zeros(x.size)
    for digit in range(int(codes.max(initial=0)).bit_length()):
        rows = np.argsort(codes >> (digit + 1), kind="stable")  # by the higher digits, within them by x
        high, one = codes[rows] >> (digit + 1), (codes[rows] >> digit) & 1 == 1
        summed = np.cumsum(np.where(one, 0.0, weights[rows]))
        first = np.searchsorted(high, high)
        before = np.where(first > 0, summed[first - 1], 0.0)
        total[rows] += np.where(one, summed - before, 0.0)
    found = np.empty(x.size)
    found[order] = total
    return found


def perfect_tau(p: Predictions, value: float, shrink: float, level: float) -> Limits | None:
    """Return the limits of a perfect order: half of the rows are as many independent pairs, all alike."""
    if abs(value) < 1.0 - 1e-12:
        return None
    pairs = 0.5 * p.effective() * shrink
    low = 2.0 * wilson_limits(1.0, pairs, student_quantile(level, max(1.0, pairs - 1.0)))[0] - 1.0
    return (low, 1.0) if value > 0.0 else (-1.0, -low)


def perfect_rho(p: Predictions, value: float, shrink: float, level: float) -> Limits | None:
    """Return the limits of a perfect order by those of tau and ``rho >= (3 tau - 1)/2`` (Daniels 1950)."""
    limits = perfect_tau(p, value, shrink, level)
    if limits is None:
        return None
    far = max(-1.0, 1.5 * min(abs(v) for v in limits) - 0.5)
    return (far, 1.0) if value > 0.0 else (-1.0, -far)


def few_rows(p: Predictions) -> str:
    """Return why there is no interval: fewer than thirty rows are too few."""
    return too_few(p.n, MIN_ROWS) if p.n < MIN_ROWS else ""


def any_number(_: Predictions) -> float:
    """Return that the effective size has no limit: a rank correlation varies less than a share of rows."""
    return math.inf


def of_ranks(name: str, label: str, of: Ranked, perfect: Callable[..., Limits | None]) -> Score:
    """Return the metric of a correlation of ranks, with Wilson's interval on (1 + s)/2."""
    return Score(
        name,
        REGRESSION,
        "pred",
        lambda p: of(p.y, p.output("pred"), p.weight)[0],
        lambda p: np.asarray(p.weight * of(p.y, p.output("pred"), p.weight)[1]),
        scale="correlation",
        cap=any_number,
        fallback=perfect,
        refusal=few_rows,
        undefined=f"{label} is undefined: the targets or the predictions are all the same",
        label=label,
        by_default=False,
    )


SPEARMAN = of_ranks("spearman", "Spearman's rank correlation", spearman, perfect_rho)
KENDALL = of_ranks("kendall", "Kendall's rank correlation", kendall, perfect_tau)
