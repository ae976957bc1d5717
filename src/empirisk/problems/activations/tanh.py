"""The hyperbolic tangent, a sigmoid that is odd: sums near 0 pass unchanged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array

__all__ = ["Tanh"]


@dataclass(frozen=True)
class Tanh:
    """``f(a) = tanh(a)``, between -1 and 1.

    Examples
    --------
    >>> Tanh().value(np.array([-1.0, 0.0, 1.0])).round(4)
    array([-0.7616,  0.    ,  0.7616])
    """

    name = "tanh"
    differentiable = True
    gain = 1.0
    rectifies = False
    dies = False

    def value(self, a: Array) -> Array:
        return np.tanh(a)

    def slope(self, a: Array) -> Array:
        return 1.0 - np.tanh(a) ** 2
