"""The epsilon-insensitive loss of support vector regression."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.losses.abilities import Kink
from empirisk.losses.base import ScalarLoss, positive_number
from empirisk.losses.dual_rows import DualRows
from empirisk.typing import Array, Capability, Interval

__all__ = ["EpsilonInsensitive"]


@dataclass(frozen=True)
class EpsilonInsensitive(ScalarLoss):
    """``l(y, z) = max(0, |z - y| - epsilon)``; conjugate ``u y + epsilon |u|`` for ``|u| <= 1``, else +inf.

    Parameters
    ----------
    epsilon : float, default 0.1
        Half the width of the tube in which errors are free, >= 0, in units of the target.

    References
    ----------
    Vapnik 1995, The Nature of Statistical Learning Theory, section 6.1.

    Examples
    --------
    >>> EpsilonInsensitive(0.5).value(np.zeros(2), np.array([0.4, -2.0]))
    array([0. , 1.5])
    """

    epsilon: float = 0.1

    name = "epsilon_insensitive"
    of_difference = True
    exact_leaves = True
    row_slope = True
    y_domain = Interval()
    curvature = (0.0, math.inf)
    lipschitz = 1.0
    offers = frozenset({Capability.CONJUGATE, Capability.PIECEWISE_LINEAR, Capability.DUAL_STEP})

    def __post_init__(self) -> None:
        positive_number("epsilon", self.epsilon, zero=True)

    @property
    def parameter(self) -> float:
        """The number that compiled loops take: epsilon."""
        return float(self.epsilon)

    def value(self, y: Array, z: Array) -> Array:
        return np.maximum(np.abs(z - y) - self.epsilon, 0.0)

    def grad(self, y: Array, z: Array) -> Array:
        r = z - y
        return np.where(np.abs(r) > self.epsilon, np.sign(r), 0.0).astype(z.dtype, copy=False)

    def hess(self, y: Array, z: Array) -> Array:
        return np.zeros_like(z)

    def conjugate(self, y: Array, u: Array) -> Array:
        inside = np.abs(u) <= 1.0
        return np.where(inside, u * y + self.epsilon * np.abs(u), np.inf).astype(u.dtype, copy=False)

    def mean(self, z: Array) -> Array:
        return z

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        positive_number("dispersion", dispersion)
        return np.full_like(y, math.log(2.0 * (self.epsilon + dispersion)))

    def kinks(self, y: Array) -> list[Kink]:
        """Return one kink at each end of the tube."""
        eps, one, none = float(self.epsilon), np.ones(len(y)), np.zeros(len(y))
        return [(y + eps, none, one), (y - eps, -one, none)]

    def dual_rows(self, y: Array) -> DualRows:
        return DualRows(y, np.full_like(y, -1.0), np.full_like(y, 1.0), tube=self.epsilon)
