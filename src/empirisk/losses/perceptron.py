"""The perceptron loss: a wrong sign costs the size of the score.

Rosenblatt, Psychological Review 65 (1958).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.losses.abilities import Kink
from empirisk.losses.dual_rows import DualRows
from empirisk.losses.margin import MarginLoss
from empirisk.typing import Array, Capability

__all__ = ["Perceptron"]


@dataclass(frozen=True)
class Perceptron(MarginLoss):
    """``l(y, z) = max(0, -y z)``, labels -1 and +1; conjugate 0 for ``-1 <= u y <= 0``, else +inf.

    All scores zero attain its minimum 0: it is of use to rules that ask for correct signs, not to solvers.
    At ``z = 0`` the subgradient ``-y`` is taken, so that a perceptron that starts from zero moves.

    Examples
    --------
    >>> Perceptron().value(np.array([1.0, 1.0]), np.array([2.0, -1.0]))
    array([0., 1.])
    """

    name = "perceptron"
    curvature = (0.0, math.inf)
    lipschitz = 1.0
    row_slope = True
    offers = frozenset({Capability.CONJUGATE, Capability.PIECEWISE_LINEAR, Capability.DUAL_STEP})

    def phi(self, t: Array) -> Array:
        return np.maximum(-t, 0.0)

    def slope(self, t: Array) -> Array:
        return -(t <= 0.0).astype(t.dtype)

    def bend(self, t: Array) -> Array:
        return np.zeros_like(t)

    def phi_conjugate(self, v: Array) -> Array:
        return np.where((v >= -1.0) & (v <= 0.0), 0.0, np.inf).astype(v.dtype, copy=False)

    def kinks(self, y: Array) -> list[Kink]:
        positive = y > 0.0
        return [(np.zeros(len(y)), np.where(positive, -1.0, 0.0), np.where(positive, 0.0, 1.0))]

    def dual_rows(self, y: Array) -> DualRows:
        return DualRows(np.zeros_like(y), np.minimum(y, 0.0), np.maximum(y, 0.0))
