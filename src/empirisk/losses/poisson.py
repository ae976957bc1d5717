"""The Poisson loss with a log link: half the deviance of counts, up to terms in y."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, xlogy

from empirisk.losses.base import only_unit_dispersion
from empirisk.losses.log_link import LogLink, exponential
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

    def value(self, y: Array, z: Array) -> Array:
        return exponential(z) - y * z

    def grad(self, y: Array, z: Array) -> Array:
        return exponential(z) - y

    def hess(self, y: Array, z: Array) -> Array:
        return exponential(z)

    def conjugate(self, y: Array, u: Array) -> Array:
        m = np.maximum(u + y, 0.0)
        return np.where(u + y >= 0.0, xlogy(m, m) - m, np.inf).astype(u.dtype, copy=False)

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        only_unit_dispersion(self, dispersion)
        return np.asarray(gammaln(y + 1.0))
