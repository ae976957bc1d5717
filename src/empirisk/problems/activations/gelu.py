"""The Gaussian error linear unit: each sum times the chance that a normal draw is below it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from empirisk.typing import Array

__all__ = ["GELU"]


@dataclass(frozen=True)
class GELU:
    """``f(a) = a Phi(a)``, Phi the standard normal distribution function (Hendrycks and Gimpel, 2016).

    Examples
    --------
    >>> GELU().value(np.array([-1.0, 0.0, 1.0])).round(4)
    array([-0.1587,  0.    ,  0.8413])
    """

    name = "gelu"
    differentiable = True
    gain = math.sqrt(2.0)
    rectifies = True
    dies = False

    def value(self, a: Array) -> Array:
        return np.asarray(a * ndtr(a))

    def slope(self, a: Array) -> Array:
        return np.asarray(ndtr(a) + a * np.exp(-0.5 * a * a) / math.sqrt(2.0 * math.pi))
