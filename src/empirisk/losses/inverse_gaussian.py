"""The inverse Gaussian loss with a log link: not convex."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.losses.base import positive_number
from empirisk.losses.log_link import LogLink, exponential
from empirisk.typing import Array, Capability, Interval

__all__ = ["InverseGaussian"]


@dataclass(frozen=True)
class InverseGaussian(LogLink):
    """``l(y, z) = y exp(-2 z) / 2 - exp(-z)`` for ``y > 0``: mean ``exp(z)``.

    The variance is ``dispersion * mean^3``.  Each row has one minimum, at ``z = log y``, but the loss is
    concave where the mean exceeds ``2 y``: a sum of rows can have several minima.  Solvers certify a
    stationary point and say so.

    Conjugate, with ``m = (1 + sqrt(1 - 4 u y)) / (2 y)``: ``m - y m^2 / 2 - u log m`` for
    ``u <= 0``, else +inf.

    Examples
    --------
    >>> InverseGaussian().value(np.array([1.0, 2.0]), np.array([0.0, 0.0]))
    array([-0.5,  0. ])
    """

    name = "inverse_gaussian"
    y_domain = Interval(0.0, math.inf, low_closed=False, high_closed=False)
    convex = False
    curvature = (-math.inf, math.inf)
    lipschitz = math.inf
    variance_power = 3.0
    title = "Inverse Gaussian regression"
    fused = True
    # The second derivative is negative in places: of no use to methods that invert it.
    offers = frozenset({Capability.GRAD, Capability.CONJUGATE})

    def value(self, y: Array, z: Array) -> Array:
        e = exponential(-z)
        with np.errstate(over="ignore"):
            return e * (0.5 * y * e - 1.0)

    def grad(self, y: Array, z: Array) -> Array:
        e = exponential(-z)
        with np.errstate(over="ignore"):
            return e * (1.0 - y * e)

    def hess(self, y: Array, z: Array) -> Array:
        e = exponential(-z)
        with np.errstate(over="ignore"):
            return e * (2.0 * y * e - 1.0)

    def conjugate(self, y: Array, u: Array) -> Array:
        inside = u <= 0.0
        v = np.minimum(u, 0.0)
        m = (1.0 + np.sqrt(1.0 - 4.0 * v * y)) / (2.0 * y)
        return np.where(inside, m - 0.5 * y * m * m - v * np.log(m), np.inf).astype(u.dtype, copy=False)

    def cdf(self, y: Array, mean: Array, dispersion: float) -> Array:
        from scipy import stats  # slow to import, and needed for prediction bands only

        return np.asarray(stats.invgauss.cdf(y, mean * dispersion, scale=1.0 / dispersion))

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        positive_number("dispersion", dispersion)
        return np.asarray(0.5 * np.log(2.0 * math.pi * dispersion * y**3) + 0.5 / (dispersion * y))
