"""The Poisson loss with a log link: half the deviance of counts, up to terms in y."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, xlogy

from empirisk.losses.abilities import PassSums
from empirisk.losses.base import only_unit_dispersion
from empirisk.losses.log_link import FEWEST_DIGITS, LogLink, exponential
from empirisk.typing import Array, Interval

__all__ = ["Poisson"]


@dataclass(frozen=True)
class Poisson(LogLink):
    """``l(y, z) = exp(z) - y z`` for ``y >= 0``: mean ``exp(z)``, half the deviance but for a term in y.

    Conjugate: ``(u + y) log(u + y) - (u + y)`` for ``u >= -y``, else +inf.

    Examples
    --------
    >>> Poisson().value(np.array([0.0, 2.0]), np.array([0.0, 0.0]))
    array([1., 1.])
    """

    name = "poisson"
    y_domain = Interval(0.0, math.inf, high_closed=False)
    curvature = (0.0, math.inf)
    lipschitz = math.inf
    variance_power = 1.0
    escape = "zeros"
    counts = True
    title = "Poisson regression"
    unit_dispersion = True
    concordance = 1.0
    fused = True
    row_slope = True

    def value(self, y: Array, z: Array) -> Array:
        return exponential(z) - y * z

    def grad(self, y: Array, z: Array) -> Array:
        return exponential(z) - y

    def hess(self, y: Array, z: Array) -> Array:
        return exponential(z)

    def conjugate(self, y: Array, u: Array) -> Array:
        m = np.maximum(u + y, 0.0)
        return np.where(u + y >= 0.0, xlogy(m, m) - m, np.inf).astype(u.dtype, copy=False)

    def repair(self, sums: PassSums) -> tuple[float, Array] | None:
        """Return the exact change when all scores are shifted by d.

        With ``A = mean e^z`` and ``C = mean z e^z`` the mean l* is ``e^d (C - A) + d mean y``.
        """
        g, mean_y = float(sums.slope), float(sums.mean(sums.y))
        if mean_y <= 0.0 or mean_y + g <= FEWEST_DIGITS * mean_y:
            return math.inf, sums.grad
        d = -math.log1p(g / mean_y)
        known = float(sums.mean(sums.offset * sums.y)) if np.any(sums.offset) else 0.0
        extra = math.expm1(d) * (sums.linear - sums.loss - known) + d * mean_y
        return extra, math.exp(d) * sums.grad + math.expm1(d) * sums.products

    def cdf(self, y: Array, mean: Array, dispersion: float) -> Array:
        from scipy import stats  # slow to import, and needed for prediction bands only

        return np.asarray(stats.poisson.cdf(y, mean))

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        only_unit_dispersion(self, dispersion)
        return np.asarray(gammaln(y + 1.0))
