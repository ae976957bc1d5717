"""The step of the perceptron: it predicts, and no gradient passes through it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array

__all__ = ["Step"]


@dataclass(frozen=True)
class Step:
    """``f(a) = 1`` where ``a > 0``, else 0 (McCulloch and Pitts, 1943).

    Examples
    --------
    >>> Step().value(np.array([-1.0, 0.0, 1.0])).round(4)
    array([0., 0., 1.])
    """

    name = "step"
    differentiable = False
    gain = 1.0
    rectifies = False
    dies = True

    def value(self, a: Array) -> Array:
        return (a > 0.0).astype(a.dtype)

    def slope(self, a: Array) -> Array:
        return np.zeros_like(a)
