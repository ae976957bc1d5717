"""Newcombe's method 5 for the area under the ROC curve: an answer when DeLong's variance is 0.

Newcombe, Statistics in Medicine 25 (2006), part 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from empirisk.evaluation.intervals.base import normal_quantile


def newcombe_limits(auc: float, n1: float, n0: float, level: float = 0.95) -> tuple[float, float]:
    """Return all theta with ``|theta - A| <= z sqrt(v(theta))``.

    ``v(theta) = theta(1-theta)[1 + s(1-theta)/(2-theta) + s theta/(1+theta)]/(n1 n0)`` with
    ``s = (n1+n0)/2 - 1``: the variance under the exponential model, at theta instead of at A.

    Parameters
    ----------
    auc : float in [0, 1]
        Observed area A.
    n1, n0 : float
        Rows of the two classes (fractions allowed: effective counts).
    level : float, default 0.95
        Nominal coverage.

    Notes
    -----
    Source: Newcombe (2006), method 5. Two bisections, O(1).

    Examples
    --------
    >>> [round(x, 2) for x in newcombe_limits(1.0, 50, 50)]
    [0.96, 1.0]
    """
    # Method 5 puts the mean (n1 + n0) / 2 in place of both class sizes (Newcombe 2006, part 2).
    z, s = normal_quantile(level), (n1 + n0) / 2.0 - 1.0

    def excess(theta: float) -> float:
        spread = 1.0 + s * (1.0 - theta) / (2.0 - theta) + s * theta / (1.0 + theta)
        return abs(theta - auc) - z * math.sqrt(max(0.0, theta * (1.0 - theta) * spread / (n1 * n0)))

    # Near an end of [0, 1] the standard error falls like a square root, the distance like a line:
    # a point just inside the unit interval is always accepted, so each bisection has its bracket.
    inside = min(max(auc, 1e-12), 1.0 - 1e-12)
    low = 0.0 if auc <= 0.0 else _bisect(excess, 0.0, inside)
    high = 1.0 if auc >= 1.0 else _bisect(excess, 1.0, inside)
    return low, high


def _bisect(excess: Callable[[float], float], outside: float, inside: float) -> float:
    """Return the point between `outside` (excess > 0) and `inside` (excess <= 0) where excess is 0."""
    for _ in range(100):
        middle = 0.5 * (outside + inside)
        if excess(middle) > 0.0:
            outside = middle
        else:
            inside = middle
    return 0.5 * (outside + inside)
