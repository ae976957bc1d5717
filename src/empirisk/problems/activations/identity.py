"""The identity: a layer that stays linear, as the last one of most networks is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array

__all__ = ["Identity"]


@dataclass(frozen=True)
class Identity:
    """``f(a) = a``: the sums themselves, unchanged.

    Examples
    --------
    >>> Identity().value(np.array([-1.0, 0.0, 1.0])).round(4)
    array([-1.,  0.,  1.])
    """

    name = "identity"
    differentiable = True
    gain = 1.0
    rectifies = False
    dies = False

    def value(self, a: Array) -> Array:
        return np.asarray(a)

    def slope(self, a: Array) -> Array:
        return np.ones_like(a)
