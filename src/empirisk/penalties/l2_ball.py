"""The Euclidean ball: coefficients whose length is at most a radius."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.penalties.abilities import Size
from empirisk.penalties.base import ConstraintSet
from empirisk.penalties.inequalities import Inequalities
from empirisk.penalties.numbers import check_radius, long_norm
from empirisk.typing import Array

__all__ = ["L2Ball"]


@dataclass(frozen=True)
class L2Ball(ConstraintSet):
    """``||w|| <= radius``; support function ``radius ||u||``.  Projection ``v min(1, radius/||v||)``, O(p).

    Parameters
    ----------
    radius : float
        Radius T, >= 0; at 0 the set is the origin.

    Examples
    --------
    >>> L2Ball(1.0).project(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """

    radius: float

    name = "l2_ball"

    def __post_init__(self) -> None:
        check_radius("radius", self.radius)

    @property
    def size(self) -> Size:
        return Size("||w||", self.radius, euclidean=True)

    def coercive(self, p: int) -> bool:
        return True

    def inequalities(self, p: int) -> Inequalities:
        return Inequalities.of(p, radii=[self.radius])

    def project(self, v: Array) -> Array:
        size = long_norm(v)
        return v.copy() if size <= self.radius else np.asarray(v * (self.radius / size), dtype=v.dtype)

    def gap(self, w: Array) -> float:
        size = long_norm(w)
        return max(size - self.radius, 0.0) / max(size, self.radius, np.finfo(float).tiny)

    def linear_minimizer(self, g: Array) -> Array:
        """Return a point of the set at which ``g.w`` is least."""
        size = long_norm(g)
        return np.asarray(g * (-self.radius / size) if size > 0.0 else np.zeros_like(g), dtype=g.dtype)

    def support(self, u: Array) -> float:
        return self.radius * long_norm(u)

    def tangent(self, w: Array, d: Array, near: float = 0.0) -> Array:
        size = long_norm(w)
        if self.radius == 0.0:
            return np.zeros_like(d)
        if size < self.radius * (1.0 - self.ulps * float(np.finfo(w.dtype).eps)) - near:
            return d.copy()
        normal = w / size
        return np.asarray(d - max(float(np.vdot(normal, d)), 0.0) * normal, dtype=d.dtype)
