"""Half the squared error: its best prediction is the mean."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.losses.abilities import PassSums
from empirisk.losses.base import SMOOTH, ScalarLoss
from empirisk.losses.dual_rows import DualRows
from empirisk.typing import Array, Capability, Interval

__all__ = ["HalfSquared"]


@dataclass(frozen=True)
class HalfSquared(ScalarLoss):
    """``l(y, z) = (z - y)^2 / 2``, conjugate ``u^2/2 + u y``.

    The negative log-likelihood of a Gaussian with mean z and variance equal to the dispersion.  A row
    may have m targets, y and z of shape (n, m): their losses add.

    Examples
    --------
    >>> loss = HalfSquared()
    >>> loss.value(np.array([1.0]), np.array([3.0]))
    array([2.])
    """

    name = "half_squared"
    quadratic = True
    of_difference = True
    absorbs_offset = True
    title = "Linear regression"
    concordance = 0.0
    shifts = False
    fused = True
    row_slope = True
    y_domain = Interval()
    curvature = (1.0, 1.0)
    lipschitz = math.inf
    offers = SMOOTH | {Capability.DUAL_STEP}

    def value(self, y: Array, z: Array) -> Array:
        return 0.5 * _row_sum((z - y) ** 2)

    def grad(self, y: Array, z: Array) -> Array:
        return z - y

    def hess(self, y: Array, z: Array) -> Array:
        return np.ones_like(z)

    def conjugate(self, y: Array, u: Array) -> Array:
        return _row_sum(u * (0.5 * u + y))

    def mean(self, z: Array) -> Array:
        return z

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        return _row_sum(np.full_like(y, 0.5 * math.log(2.0 * math.pi * dispersion)))

    def balance(self, y: Array, theta: Array, s: Array) -> Array:
        """Subtract the weighted mean: the domain is all of R, so this is the projection."""
        total = s.sum()
        return theta - weighted_sum(s, theta) / total if total > 0 else theta

    def repair(self, sums: PassSums) -> tuple[float, Array] | None:
        """Return the exact change for ``theta' = theta + g``.

        The conjugate changes by ``-g z + g^2/2`` on average, and ``mean z = mean y + g``.
        """
        g = sums.slope
        change = float(np.sum(-g * (sums.mean(sums.y) + g) + 0.5 * g**2))
        return change, sums.grad - np.multiply.outer(sums.column_means, g)

    def cdf(self, y: Array, mean: Array, dispersion: float) -> Array:
        from scipy import stats  # slow to import, and needed for prediction bands only

        return np.asarray(stats.norm.cdf(y, mean, np.sqrt(dispersion)))

    def best_constant(self, y: Array, s: Array) -> Array:
        return np.asarray(weighted_sum(s, y) / s.sum())

    def dual_rows(self, y: Array) -> DualRows:
        return DualRows(y, np.full_like(y, -np.inf), np.full_like(y, np.inf), curvature=1.0)


def _row_sum(a: Array) -> Array:
    return a if a.ndim == 1 else np.asarray(a.sum(axis=1))
