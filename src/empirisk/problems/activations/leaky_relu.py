"""The leaky rectifier: negative sums keep a hundredth, so that no unit dies."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array

__all__ = ["LeakyReLU"]

LEAK = 0.01


@dataclass(frozen=True)
class LeakyReLU:
    """``f(a) = a`` for ``a > 0``, else ``a / 100`` (Maas, Hannun and Ng, ICML 2013).

    Examples
    --------
    >>> LeakyReLU().value(np.array([-1.0, 0.0, 1.0])).round(4)
    array([-0.01,  0.  ,  1.  ])
    """

    name = "leaky_relu"
    differentiable = True
    gain = math.sqrt(2.0 / (1.0 + 1e-4))
    rectifies = True
    dies = False

    def value(self, a: Array) -> Array:
        return np.where(a > 0.0, a, LEAK * a)

    def slope(self, a: Array) -> Array:
        return np.where(a > 0.0, 1.0, LEAK).astype(a.dtype)
