"""The Bernoulli loss with a complementary log-log link."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from empirisk.losses.base import ScalarLoss, only_unit_dispersion
from empirisk.losses.log_link import exponential
from empirisk.losses.slopes import conjugate_by_search
from empirisk.typing import Array, Interval

__all__ = ["CLogLog"]

# Beyond this rate 1 - exp(-rate) is 1 to the last digit, and expm1 is near its overflow.
CERTAIN = 700.0


@dataclass(frozen=True)
class CLogLog(ScalarLoss):
    """``l(+1, z) = -log(1 - exp(-exp(z)))``, ``l(-1, z) = exp(z)``: ``P(y = 1) = 1 - exp(-exp(z))``.

    Labels -1 and +1; the probability that a Poisson count of mean ``exp(z)`` is positive.  Conjugate:
    ``u log u - u`` for ``y = -1, u >= 0``; for ``y = 1`` finite for ``-1 <= u <= 0`` and found by a search
    whose result is never too small.

    Examples
    --------
    >>> CLogLog().value(np.array([1.0, -1.0]), np.array([0.0, 0.0])).round(4)
    array([0.4587, 1.    ])
    """

    name = "cloglog"
    labels = True
    ratio = "hazard ratio"
    y_domain = Interval(-1.0, 1.0)
    curvature = (0.0, math.inf)
    lipschitz = math.inf
    escape = "classes"
    title = "Complementary log-log regression"
    unit_dispersion = True

    def value(self, y: Array, z: Array) -> Array:
        rate = exponential(z)
        small = np.minimum(z, 0.0)
        # -log(1 - e^-q) = -z - log((1 - e^-q) / q) for small q, where the difference cancels.
        e = np.maximum(np.exp(small), np.finfo(z.dtype).tiny)
        ratio = np.minimum(-np.expm1(-e) / e, 1.0)
        with np.errstate(divide="ignore"):
            large = -np.log1p(-np.exp(-np.maximum(rate, 0.5)))
        positive = np.where(z < 0.0, -small - np.log(ratio), large)
        return np.where(y > 0.0, positive, rate)

    def grad(self, y: Array, z: Array) -> Array:
        rate = exponential(z)
        return np.where(y > 0.0, -_share(rate), rate)

    def hess(self, y: Array, z: Array) -> Array:
        rate = exponential(z)
        return np.where(y > 0.0, _bend(rate), rate)

    def conjugate(self, y: Array, u: Array) -> Array:
        m = np.maximum(u, 0.0)
        out = np.where(u >= 0.0, xlogy(m, m) - m, np.inf)
        out[y > 0.0] = np.where((u == 0.0) | (u == -1.0), 0.0, np.inf)[y > 0.0]
        live = (y > 0.0) & (u > -1.0) & (u < 0.0)
        if live.any():
            # The slope of a rate q is -q / (e^q - 1), between q/2 - 1 and -exp(-q/2).
            v = np.asarray(u[live], dtype=np.float64)
            low, high = np.log(2.0 * (1.0 + v)), np.log(-2.0 * np.log(-v))
            out[live] = conjugate_by_search(self, np.ones_like(v), v, low, high)
        return np.asarray(out.astype(u.dtype, copy=False))

    def mean(self, z: Array) -> Array:
        return -np.expm1(-exponential(z))

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        only_unit_dispersion(self, dispersion)
        return np.zeros_like(y)

    def best_constant(self, y: Array, s: Array) -> Array:
        """``log(-log(1 - share))`` of the weighted share of the label +1."""
        positive, negative = float(s[y > 0].sum()), float(s[y < 0].sum())
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.log1p(np.divide(positive, negative))))


def _share(rate: Array) -> Array:
    """``q / (e^q - 1)``: it is 1 at 0 and tends to 0 for large q, and both ends need care in floating
    point.
    """
    q = np.clip(rate, np.finfo(rate.dtype).tiny, _largest(rate))
    return np.where(rate > _largest(rate), 0.0, q / np.expm1(q)).astype(rate.dtype, copy=False)


def _bend(rate: Array) -> Array:
    """``q (q e^q - e^q + 1) / (e^q - 1)^2 = s (q - 1 + s)`` with ``s = q / (e^q - 1)``; about q/2 near 0."""
    s = _share(rate)
    q = np.minimum(rate, _largest(rate))
    # q - 1 + s cancels for small q: its series there, the Bernoulli numbers.
    series = q * (0.5 + q * (1 / 12 + q * q * (-1 / 720 + q * q * (1 / 30240 - q * q / 1209600))))
    return np.asarray(s * np.where(q < 0.3, series, q - 1.0 + s))


def _largest(rate: Array) -> float:
    return CERTAIN if rate.dtype == np.float64 else 80.0
