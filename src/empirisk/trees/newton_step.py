"""The longest step of a leaf that cannot raise its loss."""

from __future__ import annotations

import math

__all__ = ["longest_step"]


def longest_step(m: float, rate: float) -> float:
    """Return the s for which a Newton step times `rate`, cut to s, never raises a sum of losses of
    concordance m.

    With slope G and curvature H of the sum, ``F(s) <= F(0) - |G| s + H (e^(m s) - 1 - m s)/m^2`` (Bach 2010,
    Electronic Journal of Statistics 4, proposition 1).  A step ``s <= rate |G|/H`` is safe when
    ``(e^(m s) - 1 - m s)/(m s)^2 <= 1/rate``, whose largest solution is returned: 5.9 for m = 1, rate = 0.1;
    1.8 for rate = 1; 0 from rate = 2 on, where Newton's method may overshoot a parabola.

    Examples
    --------
    >>> [round(longest_step(1.0, rate), 2) for rate in (0.1, 1.0, 2.0)], longest_step(0.0, 1.0)
    ([5.86, 1.79, 0.0], inf)
    """
    if m == 0.0:
        return math.inf if rate <= 2.0 else 0.0
    if rate >= 2.0 or math.isinf(m):
        return 0.0
    low, high = 0.0, 700.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        # (e^x - 1 - x)/x^2, whose cancellation near 0 a series avoids
        value = (math.expm1(middle) - middle) / middle**2 if middle > 1e-3 else 0.5 + middle / 6.0
        low, high = (middle, high) if value <= 1.0 / rate else (low, middle)
    return low / m
