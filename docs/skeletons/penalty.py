"""A squared L2 penalty on non-negative coefficients: a copy-me file for a penalty.

Copy to src/empirisk/penalties/<name>.py, rename, change the formulas, and add one row to REGISTRY in
src/empirisk/penalties/__init__.py.  tests/conformance/test_penalty_contract.py then tests it: prox,
conjugate, subdifferential and critical strength have to belong together.

This one writes every method out; a penalty of the elastic-net family inherits most of them from
ElasticNetPenalty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from empirisk.penalties.abilities import Abilities
from empirisk.typing import Array

__all__ = ["NonNegativeL2"]


@dataclass(frozen=True)
class NonNegativeL2(Abilities):
    """``P(w) = alpha ||w||^2 / 2`` for ``w >= 0``, else +inf.

    Conjugate: ``sum_j max(0, u_j)^2 / (2 alpha)``; for alpha = 0 the indicator of ``u <= 0``.

    Parameters
    ----------
    alpha : float
        Strength, >= 0.

    Examples
    --------
    >>> NonNegativeL2(1.0).prox(np.array([2.0, -3.0]), 1.0)
    array([1., 0.])
    """

    alpha: float

    name = "non_negative_l2"
    convex = True
    separable = True
    positive = True
    smoothness = math.inf

    def __post_init__(self) -> None:
        if not (self.alpha >= 0.0 and math.isfinite(self.alpha)):
            raise ValueError(f"alpha must be a finite number >= 0, got {self.alpha!r}")

    @property
    def l1(self) -> float:
        """The factor of ``||w||_1`` in the penalty: this one has no L1 part."""
        return 0.0

    @property
    def l2(self) -> float:
        """The factor of ``||w||^2 / 2`` in the penalty."""
        return self.alpha

    @property
    def strong_convexity(self) -> float:
        """The modulus of strong convexity, which turns a gap into a distance from the minimiser."""
        return self.alpha

    def coercive(self, p: int) -> bool:
        return self.alpha > 0.0

    def value(self, w: Array) -> float:
        return math.inf if np.any(w < 0.0) else 0.5 * self.alpha * float(np.vdot(w, w))

    def prox(self, v: Array, step: float) -> Array:
        return np.maximum(v, 0.0) / (1.0 + step * self.alpha)

    def conjugate(self, u: Array) -> float:
        up = np.maximum(u, 0.0)
        if self.alpha > 0.0:
            return float(np.vdot(up, up)) / (2.0 * self.alpha)
        return math.inf if np.any(up > 0.0) else 0.0

    def feasible_scale(self, u: Array) -> float:
        return 1.0 if self.alpha > 0.0 or not np.any(u > 0.0) else 0.0

    def subdiff_distance(self, w: Array, grad: Array) -> Array:
        g = grad + self.alpha * w
        return np.where(w > 0.0, np.abs(g), np.maximum(-g, 0.0))  # at 0 the subdifferential is (-inf, 0]

    def critical_strength(self, grad0: Array) -> float:
        return math.inf  # no strength makes the zero vector optimal

    def with_strength(self, alpha: float) -> Self:
        return replace(self, alpha=alpha)
