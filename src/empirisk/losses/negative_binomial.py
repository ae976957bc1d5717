"""The negative binomial loss with a log link and a fixed dispersion."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, gammaln, xlogy

from empirisk.losses.base import only_unit_dispersion, positive_number
from empirisk.losses.log_link import LogLink
from empirisk.typing import Array, Interval

__all__ = ["NegativeBinomial"]


@dataclass(frozen=True)
class NegativeBinomial(LogLink):
    """``l(y, z) = (y + 1/a) log(1 + a exp(z)) - y z`` for ``y >= 0``: mean ``m = exp(z)``.

    The variance is ``m + a m^2``.  Conjugate, with ``c = y + 1/a`` and ``t = (u + y) / c``:
    ``c (t log t + (1-t) log(1-t)) - (u + y) log a`` for ``0 <= t <= 1``, else +inf.

    Parameters
    ----------
    a : float, default 1.0
        Extra dispersion, > 0 (statsmodels' ``alpha``; 1/size in R).  With ``a -> 0``
        the loss becomes Poisson's.
    estimated : bool, default False
        Whether a was estimated from the rows, so that it counts as a parameter.

    Examples
    --------
    >>> NegativeBinomial(1.0).value(np.array([0.0, 1.0]), np.array([0.0, 0.0])).round(4)
    array([0.6931, 1.3863])
    """

    a: float = 1.0
    estimated: bool = field(default=False, repr=False, compare=False)

    name = "negative_binomial"
    y_domain = Interval(0.0, math.inf, high_closed=False)
    curvature = (0.0, math.inf)
    lipschitz = math.inf
    escape = "zeros"
    counts = True
    title = "Negative binomial regression"
    unit_dispersion = True
    concordance = 1.0
    fused = True

    def __post_init__(self) -> None:
        positive_number("a", self.a)

    @property
    def nuisances(self) -> int:
        """The estimated parameters of the loss: a, where it is one."""
        return int(self.estimated)

    @property
    def parameter(self) -> float:
        """The number that compiled loops take: a."""
        return float(self.a)

    def value(self, y: Array, z: Array) -> Array:
        t = z + math.log(self.a)
        # log(1 + e^t) = max(t, 0) + log1p(e^-|t|): the large parts y t and y z cancel beforehand.
        tail = np.log1p(np.exp(-np.abs(t)))
        large = np.where(t > 0.0, t / self.a + y * math.log(self.a), -y * z)
        return np.asarray((y + 1.0 / self.a) * tail + large)

    def grad(self, y: Array, z: Array) -> Array:
        # (m - y) / (1 + a m), without overflow in m.
        t = z + math.log(self.a)
        return expit(t) / self.a - y * expit(-t)

    def hess(self, y: Array, z: Array) -> Array:
        t = z + math.log(self.a)
        return np.asarray((y + 1.0 / self.a) * (expit(t) * expit(-t)))

    def conjugate(self, y: Array, u: Array) -> Array:
        c = y + 1.0 / self.a
        # The ends of the domain are u = -y and u = 1/a; both factors are formed from the nearer end.
        left, right = u + y, u.dtype.type(1.0 / self.a) - u
        inside = (left >= 0.0) & (right >= 0.0)
        left, right = np.maximum(left, 0.0), np.maximum(right, 0.0)
        entropy = xlogy(left, left / c) + xlogy(right, right / c)
        return np.where(inside, entropy - left * math.log(self.a), np.inf).astype(u.dtype, copy=False)

    def cdf(self, y: Array, mean: Array, dispersion: float) -> Array:
        from scipy import stats  # slow to import, and needed for prediction bands only

        a = float(self.a)
        return np.asarray(stats.nbinom.cdf(y, 1.0 / a, 1.0 / (1.0 + a * mean)))

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        only_unit_dispersion(self, dispersion)
        size = 1.0 / self.a
        return gammaln(size) + gammaln(y + 1.0) - gammaln(y + size) - y * math.log(self.a)
