"""The softplus: a smooth positive part, whose slope is the logistic sigmoid."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from empirisk.typing import Array

__all__ = ["Softplus"]


@dataclass(frozen=True)
class Softplus:
    """``f(a) = log(1 + exp(a))``, smooth and always positive.

    Examples
    --------
    >>> Softplus().value(np.array([-1.0, 0.0, 1.0])).round(4)
    array([0.3133, 0.6931, 1.3133])
    """

    name = "softplus"
    differentiable = True
    gain = math.sqrt(2.0)
    rectifies = True
    dies = False

    def value(self, a: Array) -> Array:
        return np.logaddexp(0.0, a)

    def slope(self, a: Array) -> Array:
        return np.asarray(expit(a))
