"""Difference of two shares: Newcombe's one-sided bounds, and the p-value that belongs to them.

Newcombe, Statistics in Medicine 17 (1998), method 10.
"""

from __future__ import annotations

import math

from scipy import special

from empirisk.inference.limits import wilson_limits

__all__ = ["gap_bounds", "gap_p"]


def gap_bounds(x0: float, n0: float, x1: float, n1: float, critical: float) -> tuple[float, float]:
    """Return the bounds of ``p0 - p1`` from the Wilson limits (l, u) of each share.

    ``low = d - sqrt((p0 - l0)^2 + (u1 - p1)^2)``, ``high = d + sqrt((u0 - p0)^2 + (p1 - l1)^2)``.

    Parameters
    ----------
    x0, n0, x1, n1 : float
        Hits and rows of the two sets (fractions allowed).
    critical : float > 0
        Normal quantile; 1.645 makes each bound hold in 95 %.

    References
    ----------
    R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in
    Medicine 17 (1998), method 10.

    Examples
    --------
    Newcombe's example (a), 56/70 against 48/80:

    >>> [round(b, 4) for b in gap_bounds(56, 70, 48, 80, 1.959964)]
    [0.0524, 0.3339]
    """
    p0, p1 = x0 / n0, x1 / n1
    low0, high0 = wilson_limits(p0, n0, critical)
    low1, high1 = wilson_limits(p1, n1, critical)
    d = p0 - p1
    return d - math.hypot(p0 - low0, high1 - p1), d + math.hypot(high0 - p0, p1 - low1)


def gap_p(x0: float, n0: float, x1: float, n1: float, gap: float) -> float:
    """Return the smallest one-sided level at which the lower bound of ``p0 - p1`` exceeds `gap`, 0.5 at
    most.

    Examples
    --------
    >>> p = gap_p(90, 100, 10, 20, 0.2)
    >>> critical = float(special.ndtri(1.0 - p))
    >>> round(gap_bounds(90, 100, 10, 20, critical)[0], 6)
    0.2
    """
    low, high = 0.0, 40.0  # the bound falls in the critical value
    if x0 / n0 - x1 / n1 <= gap:
        return 0.5
    for _ in range(80):
        middle = 0.5 * (low + high)
        if gap_bounds(x0, n0, x1, n1, middle)[0] > gap:
            low = middle
        else:
            high = middle
    return float(special.ndtr(-low))
