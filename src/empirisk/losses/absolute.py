"""The absolute loss: its best prediction is the median, which outliers do not move far."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.losses.abilities import Kink
from empirisk.losses.base import ScalarLoss, positive_number
from empirisk.losses.dual_rows import DualRows
from empirisk.losses.quantile import weighted_quantile
from empirisk.typing import Array, Capability, Interval

__all__ = ["Absolute"]


@dataclass(frozen=True)
class Absolute(ScalarLoss):
    """``l(y, z) = |z - y|``, whose best prediction is the median.

    Conjugate: ``u y`` for ``|u| <= 1``, else +inf.  The negative log-likelihood of a Laplace law with
    scale equal to the dispersion.  Its kink is out of reach for solvers that need a gradient.

    Examples
    --------
    >>> Absolute().value(np.array([0.0, 0.0]), np.array([0.5, -3.0]))
    array([0.5, 3. ])
    """

    name = "absolute"
    of_difference = True
    exact_leaves = True
    quantile_level = 0.5
    row_slope = True
    y_domain = Interval()
    curvature = (0.0, math.inf)
    lipschitz = 1.0
    offers = frozenset({Capability.CONJUGATE, Capability.PIECEWISE_LINEAR, Capability.DUAL_STEP})

    def value(self, y: Array, z: Array) -> Array:
        return np.abs(z - y)

    def grad(self, y: Array, z: Array) -> Array:
        return np.sign(z - y)

    def hess(self, y: Array, z: Array) -> Array:
        return np.zeros_like(z)

    def conjugate(self, y: Array, u: Array) -> Array:
        return np.where(np.abs(u) <= 1.0, u * y, np.inf).astype(u.dtype, copy=False)

    def mean(self, z: Array) -> Array:
        return z

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        positive_number("dispersion", dispersion)
        return np.full_like(y, math.log(2.0 * dispersion))

    def best_constant(self, y: Array, s: Array) -> Array:
        """Return the weighted median of the targets, the minimiser of the mean absolute loss."""
        return weighted_quantile(y, s, 0.5)

    def kinks(self, y: Array) -> list[Kink]:
        one = np.ones(len(y))
        return [(y, -one, one)]

    def dual_rows(self, y: Array) -> DualRows:
        return DualRows(y, np.full_like(y, -1.0), np.full_like(y, 1.0))
