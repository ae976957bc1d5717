"""The Tweedie loss with a log link, for sums of a random number of positive amounts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, logsumexp, xlogy

from empirisk.losses.base import positive_number
from empirisk.losses.log_link import LogLink, exponential
from empirisk.losses.slopes import conjugate_by_search
from empirisk.typing import Array, Interval

__all__ = ["Tweedie"]

KNOTS = 2_048  # of the table where a search for a score begins; its errors are some 1e-5 in usual ranges
NEWTON_STEPS = 2


@dataclass(frozen=True)
class Tweedie(LogLink):
    """``l(y, z) = exp((2-p) z) / (2-p) + y exp(-(p-1) z) / (p-1)`` for ``y >= 0``: mean ``exp(z)``.

    The variance is ``dispersion * mean^p``: a compound Poisson-Gamma law, with a positive probability of
    exactly 0.  Conjugate: ``(u log u - u) / (2-p)`` for ``y = 0, u >= 0``; for ``y > 0`` finite everywhere
    and found by a search whose result is never too small.

    Parameters
    ----------
    power : float, default 1.5
        ``p``, strictly between 1 (Poisson) and 2 (Gamma).

    References
    ----------
    Dunn & Smyth 2005, Statistics and Computing 15 (the series of the density).

    Examples
    --------
    >>> Tweedie(1.5).value(np.array([0.0, 1.0]), np.array([0.0, 0.0]))
    array([2., 4.])
    """

    power: float = 1.5

    name = "tweedie"
    y_domain = Interval(0.0, math.inf, high_closed=False)
    curvature = (0.0, math.inf)
    lipschitz = math.inf
    escape = "zeros"
    title = "Tweedie regression"
    fused = True

    def __post_init__(self) -> None:
        if not 1.0 < self.power < 2.0:
            raise ValueError(
                f"power must lie strictly between 1 and 2, got {self.power!r}; "
                "use Poisson for 1, Gamma for 2 and StableTweedie above 2 or below 0"
            )

    @property
    def variance_power(self) -> float:
        """The power p of the variance function ``V(m) = m^p``."""
        return self.power

    @property
    def parameter(self) -> float:
        """The number that compiled loops take: the power."""
        return float(self.power)

    @property
    def concordance(self) -> float:
        """The concordance of the faster of its two exponentials."""
        return max(self.power - 1.0, 2.0 - self.power)

    @property
    def _rates(self) -> tuple[float, float]:
        return 2.0 - self.power, self.power - 1.0

    def value(self, y: Array, z: Array) -> Array:
        a, b = self._rates
        return exponential(a * z) / a + _times(y, exponential(-b * z)) / b

    def grad(self, y: Array, z: Array) -> Array:
        a, b = self._rates
        return exponential(a * z) - _times(y, exponential(-b * z))

    def hess(self, y: Array, z: Array) -> Array:
        a, b = self._rates
        return a * exponential(a * z) + b * _times(y, exponential(-b * z))

    def conjugate(self, y: Array, u: Array) -> Array:
        a, b = self._rates
        m = np.maximum(u, 0.0)
        out = np.where(u >= 0.0, (xlogy(m, m) - m) / a, np.inf)
        live = y > 0.0
        if live.any():
            t, v = np.asarray(y[live], dtype=np.float64), np.asarray(u[live], dtype=np.float64)
            base, size = np.log(t), np.log(np.abs(v) + t**a)
            # The slope vanishes at log y; beyond it the term that grows, with the other at its largest,
            # bounds the score.
            low, high = np.where(v < 0.0, (base - size) / b, base), np.where(v > 0.0, size / a, base)
            out[live] = self._enclosed(t, v, base, low, high)
        return np.asarray(out.astype(u.dtype, copy=False))

    def _enclosed(self, y: Array, u: Array, base: Array, low: Array, high: Array) -> Array:
        """Return the upper end of the enclosure of ``l*(u)`` that :mod:`losses.slopes` describes.

        With ``z = log y + s`` the equation is ``exp((2-p) s) - exp(-(p-1) s) = u y^(p-2)``: s depends on one
        number alone, so that a table of it is a start from which two of Newton's steps reach rounding.  Rows
        that they leave open are searched.
        """
        a, b = self._rates
        margin = 1e-12 * (1.0 + np.maximum(np.abs(low), np.abs(high)))  # what rounding may have cut off
        low, high = low - margin, high + margin
        knots = np.linspace(float((low - base).min()), float((high - base).max()), KNOTS)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            known = np.arcsinh(exponential(a * knots) - exponential(-b * knots))
            z = np.clip(base + np.interp(np.arcsinh(u * exponential(-a * base)), known, knots), low, high)
            for _ in range(NEWTON_STEPS):
                up, down = exponential(a * z), y * exponential(-b * z)
                z = np.clip(z - (up - down - u) / (a * up + b * down), low, high)
            up, down = exponential(a * z), y * exponential(-b * z)
            miss = np.abs(up - down - u)
            out = u * z - (up / a + down / b) + miss * np.maximum(z - low, high - z)
            # What rounding of z and of the terms does to the slope: nothing is left to gain below it.
            settled = miss <= 4e-16 * (np.abs(u) + (a * up + b * down) * np.maximum(np.abs(z), 1.0))
            open_ = ~(settled & np.isfinite(out))
        if open_.any():
            out[open_] = conjugate_by_search(self, y[open_], u[open_], low[open_], high[open_])
        return np.asarray(out)

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        positive_number("dispersion", dispersion)
        out = np.zeros(len(y))
        for i in np.flatnonzero(y > 0.0):
            out[i] = math.log(y[i]) - self._log_series(float(y[i]), dispersion)
        return out

    def _log_series(self, y: float, dispersion: float) -> float:
        """Return the logarithm of ``sum_j W_j``, whose terms have a single peak."""
        a, b = self._rates
        ratio = a / b
        log_step = ratio * (math.log(y) - math.log(b)) - (1.0 + ratio) * math.log(dispersion) - math.log(a)
        peak = y**a / (dispersion * a)
        # Near the peak the terms fall like a Gaussian of variance about peak; 12 deviations and a margin.
        reach = 12.0 * math.sqrt(peak) + 50.0
        j = np.arange(max(1.0, math.floor(peak - reach)), peak + reach)
        return float(logsumexp(j * log_step - gammaln(j + 1.0) - gammaln(ratio * j)))


def _times(y: Array, e: Array) -> Array:
    """``y e``, where 0 times an overflow is 0."""
    with np.errstate(invalid="ignore", over="ignore"):
        out = y * e
        if not np.isnan(out.sum()):  # a sum costs less than a product with a mask
            return np.asarray(out)
    return np.multiply(y, e, out=np.zeros_like(e), where=y > 0.0)
