"""What the last measured step of a learning curve says about rows that nobody has seen.

Let the step from ``s`` to ``m`` training rows cut the expected loss by ``G``. With an excess loss ``b r^-c``
at ``r`` rows, going from ``n`` to ``N`` rows cuts it by ``gamma(c) G``,

    gamma(c) = (n^-c - N^-c) / (s^-c - m^-c),      gamma(0) = log(N/n) / log(m/s).

``gamma`` falls in c. Two assumptions bound it: every doubling gains at most as much as the one before
(``c >= 0``), and the excess falls no faster than ``r^-3/2``. Least squares near as many coefficients as rows
falls faster, by the exact law ``excess = sigma^2 p/(r - p - 1)``, so with p coefficients the lower end also
respects that law. For ``n = m`` and ``N = 2m``, ``gamma(3/2) = 0.35``; for ``n = 5m/4`` (five folds) 0.25.
"""

from __future__ import annotations

import math

__all__ = ["FASTEST", "factor", "least_squares_factor", "range_of_factors"]

FASTEST = 1.5


def factor(c: float, step: tuple[float, float], future: tuple[float, float]) -> float:
    """``gamma(c)``: the gain over `future` = (n, N) for each unit gained over `step` = (s, m).

    Examples
    --------
    >>> factor(1.0, (400, 800), (800, 1600)), factor(0.0, (400, 800), (800, 1600))
    (0.5, 1.0)
    >>> round(factor(1.5, (400, 800), (1000, 2000)), 3)
    0.253
    """
    (s, m), (n, more) = step, future
    if c == 0.0:
        return math.log(more / n) / math.log(m / s)
    return float(((n / m) ** -c - (more / m) ** -c) / ((s / m) ** -c - 1.0))


def least_squares_factor(p: float, step: tuple[float, float], future: tuple[float, float]) -> float:
    """Return the same for least squares with p coefficients and Gaussian columns: excess ``p/(r - p -
    1)``.

    Zero when the step began with fewer than ``p + 2`` rows: no finite excess, nothing to learn from.

    Examples
    --------
    >>> round(least_squares_factor(20, (40, 80), (80, 160)), 3)
    0.273
    """
    (s, m), (n, more) = step, future
    if s <= p + 1.0:
        return 0.0
    return (1.0 / (n - p - 1.0) - 1.0 / (more - p - 1.0)) / (1.0 / (s - p - 1.0) - 1.0 / (m - p - 1.0))


def range_of_factors(
    step: tuple[float, float], future: tuple[float, float], coefficients: float | None = None
) -> tuple[float, float]:
    """Return the smallest and largest ``gamma`` under the assumptions of this module."""
    low = factor(FASTEST, step, future)
    if coefficients is not None:
        low = min(low, least_squares_factor(coefficients, step, future))
    return max(0.0, low), factor(0.0, step, future)
