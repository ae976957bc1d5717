"""Half the modified Huber loss: the squared hinge near the margin, a straight line for labels far out.

Zhang, Annals of Statistics 32 (2004), section 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.losses.base import SMOOTH
from empirisk.losses.dual_rows import DualRows
from empirisk.losses.margin import MarginLoss
from empirisk.typing import Array, Capability

__all__ = ["ModifiedHuber"]


@dataclass(frozen=True)
class ModifiedHuber(MarginLoss):
    """``l(y, z) = max(0, 1 - y z)^2 / 2`` where ``y z >= -1``, else ``-2 y z``, labels -1 and +1.

    Conjugate: ``u y + u^2 / 2`` for ``-2 <= u y <= 0``, else +inf.  A wrong label far out pulls with a force
    of 2 and no more.  Its risk is least at ``z = 2 P(y = 1) - 1``, so that :meth:`mean` reads a probability
    off the score.

    Examples
    --------
    >>> ModifiedHuber().value(np.array([1.0, 1.0, 1.0]), np.array([2.0, 0.0, -3.0]))
    array([0. , 0.5, 6. ])
    """

    name = "modified_huber"
    tells_probability = True
    curvature = (0.0, 1.0)
    lipschitz = 2.0
    fused = True
    row_slope = True
    offers = SMOOTH | {Capability.DUAL_STEP}

    def phi(self, t: Array) -> Array:
        short = np.maximum(1.0 - t, 0.0)
        return np.asarray(np.minimum(short, 2.0) * (short - 0.5 * np.minimum(short, 2.0)))

    def slope(self, t: Array) -> Array:
        return np.asarray(-np.clip(1.0 - t, 0.0, 2.0))

    def bend(self, t: Array) -> Array:
        return ((t < 1.0) & (t >= -1.0)).astype(t.dtype)

    def phi_conjugate(self, v: Array) -> Array:
        inside = (v >= -2.0) & (v <= 0.0)
        return np.where(inside, v * (1.0 + 0.5 * v), np.inf).astype(v.dtype, copy=False)

    def mean(self, z: Array) -> Array:
        """``(1 + z) / 2`` within [0, 1] (Zhang 2004, Annals of Statistics 32)."""
        return np.asarray(np.clip(0.5 * (1.0 + z), 0.0, 1.0))

    def dual_rows(self, y: Array) -> DualRows:
        return DualRows(y, np.minimum(2.0 * y, 0.0), np.maximum(2.0 * y, 0.0), curvature=1.0)
