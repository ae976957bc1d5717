"""How heavy the tails of draws are: whether a mean and a deviation exist to be known.

The draws beyond a place are fitted by a generalised Pareto law, whose shape k is the inverse of the number of
moments that exist: a mean needs k < 1, a deviation k < 1/2.  As in Vehtari, Simpson, Gelman, Yao and Gabry,
Pareto smoothed importance sampling, Journal of Machine Learning Research 25, 2024, where Monte-Carlo errors
are believed up to 0.7; the fit is that of Zhang and Stephens, Technometrics 51, 2009.
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.typing import Array

__all__ = ["HEAVY", "pareto_shape", "tail_shape"]

# The shape above which no Monte-Carlo error of a mean is believed.
HEAVY = 0.7
# Draws of a tail below which it is not fitted.
_LEAST = 5


def tail_shape(draws: Array) -> float:
    """Return the larger of the shapes of both tails; NaN where there are too few draws, or they do not move.

    Parameters
    ----------
    draws : array
        Draws of one quantity.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> tail_shape(rng.normal(size=4000)) < 0.5, tail_shape(rng.standard_cauchy(4000)) > HEAVY
    (True, True)
    """
    x = np.sort(draws, axis=None)
    count = math.ceil(min(0.2 * len(x), 3.0 * math.sqrt(len(x))))
    if count < _LEAST or not np.isfinite(x).all():
        return math.nan
    upper, lower = x[-count:] - x[-count - 1], x[count] - x[:count][::-1]
    known = [k for k in (pareto_shape(upper), pareto_shape(lower)) if not math.isnan(k)]
    return max(known, default=math.nan)


def pareto_shape(beyond: Array) -> float:
    """Return the shape k of a generalised Pareto law fitted to excesses over a threshold, in ascending order.

    A mean over a profile of the likelihood, drawn towards 1/2 as if by ten more excesses.

    Parameters
    ----------
    beyond : array, shape (n,)
        Ascending numbers >= 0.
    """
    n = len(beyond)
    if not beyond[-1] > 0.0:
        return math.nan
    x = beyond / beyond[-1]  # the shape has no unit, and neither has this
    quarter = x[int(n / 4.0 + 0.5) - 1]
    if not quarter > 0.0:
        return math.nan
    points = 30 + int(math.sqrt(n))
    at = np.arange(1, points + 1) - 0.5
    theta = 1.0 + (1.0 - np.sqrt(points / at)) / (3.0 * quarter)
    shape = np.log1p(-theta[:, None] * x).mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        fit = n * (np.log(-theta / shape) - shape - 1.0)
    fit = np.where(np.isfinite(fit), fit, -math.inf)
    weight = np.exp(fit - fit.max())
    best = float(weight @ theta / weight.sum())
    k = float(np.log1p(-best * x).mean())
    return (n * k + 10.0 * 0.5) / (n + 10.0)
