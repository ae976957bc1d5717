"""Tango's score interval for the difference of two proportions on the same rows.

Tango, Statistics in Medicine 17 (1998).
"""

from __future__ import annotations

import math

from empirisk.evaluation.intervals.base import MODEL, accept, normal_quantile, refuse, too_few
from empirisk.results import Estimate

MIN_ROWS = 30


def tango_statistic(b: float, c: float, n: float, delta: float) -> float:
    """``(b - c - n delta) / sqrt(n (2 q + delta(1 - delta)))``, q the restricted ML estimate.

    ``q = (sqrt(B^2 - 8 n C) - B)/(4n)``, ``B = -b - c + (2n - b + c) delta``, ``C = -c delta (1 - delta)``.
    """
    linear = -b - c + (2.0 * n - b + c) * delta
    constant = -c * delta * (1.0 - delta)
    q = (math.sqrt(max(0.0, linear * linear - 8.0 * n * constant)) - linear) / (4.0 * n)
    variance = n * (2.0 * q + delta * (1.0 - delta))
    top = b - c - n * delta
    if variance <= 0.0:
        return 0.0 if top == 0.0 else math.copysign(math.inf, top)
    return top / math.sqrt(variance)


def tango_limits(b: float, c: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Return all differences delta that the score test accepts; two bisections on [-1, 1]."""
    z = normal_quantile(level)

    def solve(target: float, low: float, high: float) -> float:
        for _ in range(60):  # the statistic falls in delta
            middle = 0.5 * (low + high)
            if tango_statistic(b, c, n, middle) > target:
                low = middle
            else:
                high = middle
        return 0.5 * (low + high)

    centre = (b - c) / n
    return solve(z, -1.0, centre), solve(-z, centre, 1.0)


def tango(b: float, c: float, n: int, level: float = 0.95, *, target: str = MODEL) -> Estimate:
    """Return the interval of ``(b - c)/n``: the paired difference of two accuracies.

    Parameters
    ----------
    b, c : float
        Discordant rows: only the first model right, only the second model right.
    n : int
        All rows.
    level : float, default 0.95
        Nominal coverage.
    target : str
        What the difference is about.

    Notes
    -----
    Without a discordant row the answer is "no difference seen", with the largest absolute
    difference that is still compatible: ``-log((1 - level)/2)/n``, 3.7/n at 95 % (the chance of
    no discordant row is at most ``exp(-n |delta|)``). Source: Tango (1998). Cost O(1).

    Examples
    --------
    >>> str(tango(25, 10, 200))
    '0.07 [0.02, 0.14]'
    >>> tango(0, 0, 1000).reason
    'no difference seen on 1000 rows: the absolute difference is at most 0.0037'
    """
    method = "Tango"
    if n == 0:
        return refuse(math.nan, level, 0, method, "there are no rows to compare on", target)
    difference = (b - c) / n
    if n < MIN_ROWS:
        return refuse(difference, level, n, method, too_few(n, MIN_ROWS), target)
    if b + c == 0:
        return refuse(difference, level, n, method, no_difference(n, level), target)
    return accept(difference, tango_limits(b, c, n, level), level, n, method, target=target)


def no_difference(n: float, level: float) -> str:
    """Return the sentence for two models that are right on the same rows."""
    most = -math.log(0.5 * (1.0 - level)) / n
    return f"no difference seen on {n:.0f} rows: the absolute difference is at most {most:.2g}"
