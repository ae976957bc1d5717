"""Elastic net: a mixture of the L1 and the squared L2 penalty; both are its ends, no penalty is its limit.

Zou and Hastie, Journal of the Royal Statistical Society B 67 (2005).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from empirisk.data.sums import inner
from empirisk.penalties.abilities import Abilities
from empirisk.typing import Array

__all__ = ["ElasticNetPenalty"]


@dataclass(frozen=True)
class ElasticNetPenalty(Abilities):
    """``P(w) = alpha (r ||w||_1 + (1-r) ||w||^2 / 2)`` with ``r = l1_ratio``; +inf for w < 0 if positive.

    Conjugate (r < 1): ``sum_j max(0, |u_j| - alpha r)^2 / (2 alpha (1-r))``; for r = 1 the indicator of
    ``max_j |u_j| <= alpha``.  With ``positive``, ``|u_j|`` becomes ``u_j``.

    Parameters
    ----------
    alpha : float
        Strength, >= 0.
    l1_ratio : float
        Share of the L1 part, in [0, 1].
    positive : bool
        Restrict to ``w >= 0``.

    Examples
    --------
    >>> pen = ElasticNetPenalty(alpha=2.0, l1_ratio=0.5)
    >>> pen.value(np.array([1.0, -1.0]))
    3.0
    >>> pen.prox(np.array([3.0, 0.5]), 1.0)
    array([1., 0.])
    """

    alpha: float
    l1_ratio: float = 0.5
    positive: bool = False

    name = "elastic_net"
    convex = True
    separable = True

    def __post_init__(self) -> None:
        if not (self.alpha >= 0.0 and math.isfinite(self.alpha)):
            raise ValueError(f"alpha must be a finite number >= 0, got {self.alpha!r}")
        if not 0.0 <= self.l1_ratio <= 1.0:
            raise ValueError(f"l1_ratio must lie in [0, 1], got {self.l1_ratio!r}")

    @property
    def formula(self) -> str:
        """The function Omega that alpha multiplies, at the two ends in its short form."""
        return "||w||_1" if self.l2 == 0.0 else "r ||w||_1 + (1-r) ||w||^2/2"

    @property
    def l1(self) -> float:
        """The factor of ``||w||_1`` in the penalty."""
        return self.alpha * self.l1_ratio

    @property
    def l2(self) -> float:
        """The factor of ``||w||^2 / 2`` in the penalty, its modulus of strong convexity."""
        return self.alpha * (1.0 - self.l1_ratio)

    @property
    def strong_convexity(self) -> float:
        """Modulus of strong convexity, equal to the L2 strength."""
        return self.l2

    @property
    def smoothness(self) -> float:
        """Lipschitz constant of the gradient; infinite when there is an L1 part or a constraint."""
        return math.inf if self.l1 > 0.0 or self.positive else self.l2

    def coercive(self, p: int) -> bool:
        return self.alpha > 0.0

    def value(self, w: Array) -> float:
        if self.positive and np.any(w < 0.0):
            return math.inf
        out = 0.0
        if self.l1 > 0.0:
            out += self.l1 * float(np.abs(w).sum())
        if self.l2 > 0.0:
            out += 0.5 * self.l2 * inner(w, w)
        return out

    def prox(self, v: Array, step: float) -> Array:
        shrunk = np.maximum(v - step * self.l1, 0.0)
        if not self.positive:
            shrunk = shrunk - np.maximum(-v - step * self.l1, 0.0)
        return np.asarray(shrunk / (1.0 + step * self.l2))

    def conjugate(self, u: Array) -> float:
        size = u if self.positive else np.abs(u)
        if self.l2 > 0.0:
            excess = np.maximum(size - self.l1, 0.0) if self.l1 > 0.0 or self.positive else size
            return inner(excess, excess) / (2.0 * self.l2)
        return 0.0 if size.size == 0 or float(size.max()) <= self.l1 else math.inf

    def feasible_scale(self, u: Array) -> float:
        if self.l2 > 0.0 or u.size == 0:
            return 1.0
        largest = float((u if self.positive else np.abs(u)).max())
        if largest <= self.l1:
            return 1.0
        # One unit in the last place inwards, so that rounding cannot leave the feasible set.
        return self.l1 / largest * (1.0 - 2.0 * float(np.finfo(u.dtype).eps))

    def subdiff_distance(self, w: Array, grad: Array) -> Array:
        if self.l1 == 0.0 and not self.positive:
            return np.abs(grad + self.l2 * w) if self.l2 else np.abs(grad)
        g = grad + self.l2 * w
        moved = np.abs(g + np.sign(w) * self.l1)  # distance of -g to the single point l1 sign(w)
        at_zero = np.maximum((-g if self.positive else np.abs(g)) - self.l1, 0.0)  # to [-l1, l1]
        return np.where(w != 0.0, moved, at_zero)

    def critical_strength(self, grad0: Array) -> float:
        if self.l1_ratio == 0.0:
            return math.inf
        size = np.max(-grad0 if self.positive else np.abs(grad0), initial=0.0)
        return float(size) / self.l1_ratio

    def with_strength(self, alpha: float) -> Self:
        return replace(self, alpha=alpha)
