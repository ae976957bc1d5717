"""The rectified linear unit: the positive part, as in Glorot, Bordes and Bengio (AISTATS 2011)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array

__all__ = ["ReLU"]


@dataclass(frozen=True)
class ReLU:
    """``f(a) = max(a, 0)``: nothing of sums below 0.

    Examples
    --------
    >>> ReLU().value(np.array([-1.0, 0.0, 1.0])).round(4)
    array([0., 0., 1.])
    """

    name = "relu"
    differentiable = True
    gain = math.sqrt(2.0)
    rectifies = True
    dies = True

    def value(self, a: Array) -> Array:
        return np.maximum(a, 0.0)

    def slope(self, a: Array) -> Array:
        return (a > 0.0).astype(a.dtype)
