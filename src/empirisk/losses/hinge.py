"""The hinge loss of support vector machines: rows beyond the margin cost nothing.

Cortes and Vapnik, Machine Learning 20 (1995).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.losses.abilities import Kink
from empirisk.losses.dual_rows import DualRows
from empirisk.losses.margin import MarginLoss
from empirisk.typing import Array, Capability

__all__ = ["Hinge"]

EPS = float(np.finfo(np.float64).eps)
BELOW_ONE = float(np.nextafter(1.0, 0.0))


@dataclass(frozen=True)
class Hinge(MarginLoss):
    """``l(y, z) = max(0, 1 - y z)``, labels -1 and +1; conjugate ``u y`` for ``-1 <= u y <= 0``, else +inf.

    Examples
    --------
    >>> Hinge().value(np.array([1.0, 1.0, -1.0]), np.array([2.0, 0.5, 0.5]))
    array([0. , 0.5, 1.5])
    """

    name = "hinge"
    curvature = (0.0, math.inf)
    lipschitz = 1.0
    row_slope = True
    offers = frozenset({Capability.CONJUGATE, Capability.PIECEWISE_LINEAR, Capability.DUAL_STEP})

    def phi(self, t: Array) -> Array:
        return np.asarray(np.maximum(1.0 - t, 0.0))

    def slope(self, t: Array) -> Array:
        return -(t < 1.0).astype(t.dtype)

    def bend(self, t: Array) -> Array:
        return np.zeros_like(t)

    def phi_conjugate(self, v: Array) -> Array:
        return np.where((v >= -1.0) & (v <= 0.0), v, np.inf).astype(v.dtype, copy=False)

    def best_constant(self, y: Array, s: Array) -> Array:
        """Return the margin of the heavier class, 0 where both are as heavy up to rounding.

        The objective is linear between -1 and 1.  Of the two numbers around a kink the one with the smaller
        sum of slopes is taken, as a search for its change of sign would.
        """
        plus, minus = float(s[y > 0.0].sum()), float(s[y < 0.0].sum())
        if abs(plus - minus) <= len(y) * EPS * (plus + minus):
            return np.asarray(0.0)
        if plus > minus:
            return np.asarray(BELOW_ONE if plus - minus <= minus else 1.0)
        return np.asarray(-1.0 if plus <= minus - plus else -BELOW_ONE)

    def kinks(self, y: Array) -> list[Kink]:
        positive = y > 0.0
        return [(y, np.where(positive, -1.0, 0.0), np.where(positive, 0.0, 1.0))]

    def dual_rows(self, y: Array) -> DualRows:
        return DualRows(y, np.minimum(y, 0.0), np.maximum(y, 0.0))
