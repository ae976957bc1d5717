"""The Gamma loss with a log link: for positive targets whose standard deviation grows like their mean."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, xlogy

from empirisk.losses.abilities import PassSums
from empirisk.losses.base import positive_number
from empirisk.losses.log_link import FEWEST_DIGITS, LogLink, exponential
from empirisk.typing import Array, Interval

__all__ = ["Gamma"]


@dataclass(frozen=True)
class Gamma(LogLink):
    """``l(y, z) = y exp(-z) + z`` for ``y > 0``: mean ``exp(z)``, variance ``dispersion * mean^2``.

    Conjugate: ``(1 - u) log((1 - u) / y) - (1 - u)`` for ``u <= 1``, else +inf.

    Examples
    --------
    >>> Gamma().value(np.array([1.0, 2.0]), np.array([0.0, 0.0]))
    array([1., 2.])
    """

    name = "gamma"
    y_domain = Interval(0.0, math.inf, low_closed=False, high_closed=False)
    curvature = (0.0, math.inf)
    lipschitz = math.inf
    variance_power = 2.0
    title = "Gamma regression"
    concordance = 1.0
    fused = True
    row_slope = True

    def value(self, y: Array, z: Array) -> Array:
        return y * exponential(-z) + z

    def grad(self, y: Array, z: Array) -> Array:
        return 1.0 - y * exponential(-z)

    def hess(self, y: Array, z: Array) -> Array:
        return y * exponential(-z)

    def conjugate(self, y: Array, u: Array) -> Array:
        m = np.maximum(1.0 - u, 0.0)
        return np.where(u <= 1.0, xlogy(m, m / y) - m, np.inf).astype(u.dtype, copy=False)

    def repair(self, sums: PassSums) -> tuple[float, Array] | None:
        """Return the exact change when all scores are shifted by d.

        With ``Q = mean z y e^-z`` the mean l* is ``-e^-d Q - 1 - d``."""
        g = float(sums.slope)
        ratio = 1.0 - g  # mean y e^-z
        if ratio <= FEWEST_DIGITS:
            return math.inf, sums.grad
        d = math.log1p(-g)
        known = float(sums.mean(sums.offset)) if np.any(sums.offset) else 0.0
        q = sums.loss - ratio - known - sums.linear
        moved = math.exp(-d) * sums.grad - math.expm1(-d) * sums.column_means
        return -math.expm1(-d) * q - g - d, moved

    def cdf(self, y: Array, mean: Array, dispersion: float) -> Array:
        from scipy import stats  # slow to import, and needed for prediction bands only

        return np.asarray(stats.gamma.cdf(y, 1.0 / dispersion, scale=mean * dispersion))

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        positive_number("dispersion", dispersion)
        shape = 1.0 / dispersion
        return gammaln(shape) - shape * math.log(shape) - (shape - 1.0) * np.log(y)
