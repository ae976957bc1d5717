"""The longest step of a leaf that cannot raise its loss."""

from __future__ import annotations

import math

from empirisk.losses import (
    Bernoulli,
    Exponential,
    Gamma,
    HalfSquared,
    Logistic,
    Loss,
    NegativeBinomial,
    Offset,
    Poisson,
    Softmax,
    Tweedie,
)

__all__ = ["concordance", "longest_step"]

ONE = (Exponential, Gamma, Logistic, NegativeBinomial, Poisson, Softmax)


def concordance(loss: Loss) -> float:
    """M of ``|l'''| <= M l''`` in the score; +inf where none is known.

    Examples
    --------
    >>> concordance(Poisson()), concordance(HalfSquared()), concordance(Tweedie(1.2))
    (1.0, 0.0, 0.8)
    """
    while isinstance(loss, Offset):
        loss = loss.base
    if isinstance(loss, HalfSquared):
        return 0.0
    if isinstance(loss, Tweedie):
        return max(loss.power - 1.0, 2.0 - loss.power)
    return 1.0 if isinstance(loss, ONE) or (isinstance(loss, Bernoulli) and loss.logit) else math.inf


def longest_step(m: float, rate: float) -> float:
    """The s for which a Newton step times `rate`, cut to s, never raises a sum of losses of concordance m.

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
