"""The Tweedie losses with a log link outside of [1, 2]: stable laws, whose losses are not convex."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.losses.log_link import LogLink, exponential
from empirisk.typing import Array, Capability, Interval

__all__ = ["StableTweedie"]


@dataclass(frozen=True)
class StableTweedie(LogLink):
    """``l(y, z) = m^(2-p) / (2-p) - y m^(1-p) / (1-p)`` with the mean ``m = exp(z)``, for p > 2 or p < 0.

    The variance is ``dispersion * m^p``.  For p > 2 the law is a positive stable one and ``y > 0`` (p = 3 is
    the inverse Gaussian); for p < 0 it is an extreme stable one: y is any number, and its mean is positive.
    A row has one minimum, at ``z = log y`` (at ``-inf`` where ``y <= 0``), but the loss is concave in places:
    a sum of rows can have several minima.  Solvers certify a stationary point and say so.

    Conjugate: known at 0, which deviances need; +inf elsewhere.  The densities are infinite series, which are
    not computed here.

    Parameters
    ----------
    power : float, default 2.5
        ``p``, above 2 or below 0.

    References
    ----------
    Jorgensen 1987, Journal of the Royal Statistical Society B 49 (exponential dispersion models).

    Examples
    --------
    >>> StableTweedie(4.0).value(np.array([1.0, 3.0]), np.array([0.0, 0.0]))
    array([-0.16666667,  0.5       ])
    """

    power: float = 2.5

    name = "tweedie_stable"
    convex = False
    curvature = (-math.inf, math.inf)
    lipschitz = math.inf
    title = "Tweedie regression"
    # The second derivative is negative in places: of no use to methods that invert it.
    offers = frozenset({Capability.GRAD, Capability.CONJUGATE})

    def __post_init__(self) -> None:
        if not (-math.inf < self.power < 0.0 or 2.0 < self.power < math.inf):
            raise ValueError(
                f"power must be a finite number above 2 or below 0, got {self.power!r}; use HalfSquared for "
                "0, Poisson for 1, Tweedie between 1 and 2, and Gamma for 2 (between 0 and 1 there is no law)"
            )

    @property
    def variance_power(self) -> float:
        """The power p of the variance function ``V(m) = m^p``."""
        return self.power

    @property
    def y_domain(self) -> Interval:
        """All numbers below p = 0; above p = 2 those > 0."""
        if self.power < 0.0:
            return Interval()
        return Interval(0.0, math.inf, low_closed=False, high_closed=False)

    @property
    def escape(self) -> str:
        """Rows with ``y <= 0``, which p < 0 allows, can be driven to the mean 0."""
        return "zeros" if self.power < 0.0 else ""

    def _sum(self, y: Array, z: Array, first: float, second: float) -> Array:
        """Return ``first m^(2-p) + second y m^(1-p)``, whose terms may overflow with unlike signs.

        The larger power is taken out of the sum, so that a finite number is multiplied by it.
        """
        near, right = np.exp(-np.abs(z)), z >= 0.0
        inner = np.where(right, first + second * (y * near), first * near + second * y)
        a = 2.0 - self.power
        with np.errstate(over="ignore"):
            return np.asarray(exponential(np.where(right, a * z, (a - 1.0) * z)) * inner)

    def value(self, y: Array, z: Array) -> Array:
        return self._sum(y, z, 1.0 / (2.0 - self.power), 1.0 / (self.power - 1.0))

    def grad(self, y: Array, z: Array) -> Array:
        return self._sum(y, z, 1.0, -1.0)

    def hess(self, y: Array, z: Array) -> Array:
        return self._sum(y, z, 2.0 - self.power, self.power - 1.0)

    def conjugate(self, y: Array, u: Array) -> Array:
        positive = y > 0.0  # the others have their infimum, which is 0, at the mean 0
        best = np.log(np.where(positive, y, 1.0)).astype(u.dtype, copy=False)
        least = np.where(positive, self.value(y, best), 0.0)
        return np.where(u == 0.0, -least, np.inf).astype(u.dtype, copy=False)
