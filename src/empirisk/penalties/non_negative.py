"""The non-negative orthant: no coefficient is below 0."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.penalties.base import ConstraintSet
from empirisk.penalties.inequalities import Inequalities
from empirisk.typing import Array

__all__ = ["NonNegative"]


@dataclass(frozen=True)
class NonNegative(ConstraintSet):
    """``w >= 0``; support function the indicator of ``u <= 0``.  Projection ``max(0, v)``, O(p).

    Examples
    --------
    >>> NonNegative().project(np.array([3.0, -4.0]))
    array([3., 0.])
    """

    name = "non_negative"
    positive = True
    separable = True

    def inequalities(self, p: int) -> Inequalities:
        return Inequalities.of(p, rows=(-np.eye(p), np.zeros(p)))

    def project(self, v: Array) -> Array:
        return np.asarray(np.maximum(v, 0.0))

    def gap(self, w: Array) -> float:
        return 1.0 if np.any(w < 0.0) else 0.0  # signs are free of rounding

    def support(self, u: Array) -> float:
        return math.inf if np.any(u > 0.0) else 0.0

    def tangent(self, w: Array, d: Array, near: float = 0.0) -> Array:
        return np.where(w > near, d, np.maximum(d, 0.0))
