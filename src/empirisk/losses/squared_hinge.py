"""Half the squared hinge loss: like the hinge loss, but without a kink at the margin."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.losses.base import SMOOTH
from empirisk.losses.dual_rows import DualRows
from empirisk.losses.margin import MarginLoss
from empirisk.typing import Array, Capability

__all__ = ["SquaredHinge"]


@dataclass(frozen=True)
class SquaredHinge(MarginLoss):
    """``l(y, z) = max(0, 1 - y z)^2 / 2``, labels -1 and +1.

    Conjugate: ``u y + u^2 / 2`` for ``u y <= 0``, else +inf.  Its risk is least at ``z = 2 P(y = 1) - 1``, so
    that :meth:`mean` reads a probability off the score.

    Examples
    --------
    >>> SquaredHinge().value(np.array([1.0, 1.0]), np.array([2.0, -1.0]))
    array([0., 2.])
    """

    name = "squared_hinge"
    curvature = (0.0, 1.0)
    lipschitz = math.inf
    fused = True
    row_slope = True
    offers = SMOOTH | {Capability.DUAL_STEP}

    def phi(self, t: Array) -> Array:
        return np.asarray(0.5 * np.maximum(1.0 - t, 0.0) ** 2)

    def slope(self, t: Array) -> Array:
        return np.asarray(-np.maximum(1.0 - t, 0.0))

    def bend(self, t: Array) -> Array:
        return (t < 1.0).astype(t.dtype)

    def phi_conjugate(self, v: Array) -> Array:
        return np.where(v <= 0.0, v * (1.0 + 0.5 * v), np.inf).astype(v.dtype, copy=False)

    def mean(self, z: Array) -> Array:
        """``(1 + z) / 2`` within [0, 1] (Zhang 2004, Annals of Statistics 32)."""
        return np.asarray(np.clip(0.5 * (1.0 + z), 0.0, 1.0))

    def dual_rows(self, y: Array) -> DualRows:
        low, high = np.where(y > 0.0, 0.0, -np.inf), np.where(y > 0.0, np.inf, 0.0)
        return DualRows(y, low, high, curvature=1.0)
