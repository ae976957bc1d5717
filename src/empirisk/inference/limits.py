"""Limits of intervals for a share and for a mean with a skewed law.

Wilson, Journal of the American Statistical Association 22 (1927).
"""

from __future__ import annotations

import math

import numpy as np

__all__ = ["cubic_limits", "wilson_limits"]


def wilson_limits(p: float, n: float, critical: float) -> tuple[float, float]:
    """``(p + c^2/2n -+ c sqrt(p(1-p)/n + c^2/4n^2)) / (1 + c^2/n)``.

    Parameters
    ----------
    p : float in [0, 1]
        Observed proportion.
    n : float > 0
        Number of trials; a fraction is allowed (an effective sample size).
    critical : float > 0
        Critical value ``c``: 1.96 for 95 %, or Student's t for few groups.

    Returns
    -------
    low, high : float
        Never of zero width; inside [0, 1].

    Notes
    -----
    Source: Wilson (1927). Cost O(1).

    Examples
    --------
    >>> low, high = wilson_limits(1.0, 30, 1.959964)
    >>> round(low, 4), high
    (0.8865, 1.0)
    """
    c2 = critical * critical / n
    centre = p + c2 / 2.0
    half = critical * math.sqrt(max(0.0, p * (1.0 - p)) / n + c2 / (4.0 * n))
    low = 0.0 if p <= 0.0 else max(0.0, (centre - half) / (1.0 + c2))
    high = 1.0 if p >= 1.0 else min(1.0, (centre + half) / (1.0 + c2))
    return low, high


def cubic_limits(mean: float, se: float, b: float, t: float) -> tuple[float, float]:
    """``[mean - se h(t), mean - se h(-t)]`` for a given standard error, ``b = skewness/sqrt(n)`` and t."""

    def h(q: float) -> float:
        # Below 1e-6 the cube root loses its digits, and h(q) = q - b/6 - b q^2/3 is exact enough.
        if abs(b) < 1e-6:
            return q - b / 6.0 - b * q * q / 3.0
        return 3.0 / b * (float(np.cbrt(1.0 + b * (q - b / 6.0))) - 1.0)

    return mean - se * h(t), mean - se * h(-t)
