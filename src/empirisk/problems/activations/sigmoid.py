"""The logistic sigmoid, the smooth step of the first networks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from empirisk.typing import Array

__all__ = ["Sigmoid"]


@dataclass(frozen=True)
class Sigmoid:
    """``f(a) = 1 / (1 + exp(-a))``, between 0 and 1.

    Examples
    --------
    >>> Sigmoid().value(np.array([-1.0, 0.0, 1.0])).round(4)
    array([0.2689, 0.5   , 0.7311])
    """

    name = "sigmoid"
    differentiable = True
    gain = 4.0
    rectifies = False
    dies = False

    def value(self, a: Array) -> Array:
        return np.asarray(expit(a))

    def slope(self, a: Array) -> Array:
        return np.asarray(expit(a) * expit(-a))
