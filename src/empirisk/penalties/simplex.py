"""The simplex: non-negative coefficients with a given sum, such as the weights of a mixture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.penalties.abilities import Size
from empirisk.penalties.base import ConstraintSet
from empirisk.penalties.inequalities import Inequalities
from empirisk.penalties.numbers import check_radius
from empirisk.penalties.water_level import shared_level, water_level
from empirisk.typing import Array

__all__ = ["Simplex"]


@dataclass(frozen=True)
class Simplex(ConstraintSet):
    """``w >= 0, sum_j w_j = total``; support function ``total max_j u_j``.

    The projection is ``max(0, v_j - t)`` at the t that gives the sum `total`; O(p).

    Parameters
    ----------
    total : float
        The sum, > 0.

    Examples
    --------
    >>> Simplex().project(np.array([0.5, 1.0, -2.0]))
    array([0.25, 0.75, 0.  ])
    """

    total: float = 1.0

    name = "simplex"
    positive = True

    def __post_init__(self) -> None:
        check_radius("total", self.total, zero=False)

    @property
    def size(self) -> Size:
        return Size("sum_j w_j (w >= 0)", self.total)

    def coercive(self, p: int) -> bool:
        return True

    def inequalities(self, p: int) -> Inequalities:
        signs, total = (-np.eye(p), np.zeros(p)), (np.ones((1, p)), np.array([self.total]))
        return Inequalities.of(p, rows=signs, equations=total)

    def project(self, v: Array) -> Array:
        if v.size == 0:
            raise ValueError("the simplex has no point with no coefficients")
        below = (v - v.max()).astype(np.float64)  # exact for the entries that stay, however large they are
        kept = np.maximum(below - water_level(below.ravel(), self.total), 0.0)
        return np.asarray(kept, dtype=v.dtype)

    def gap(self, w: Array) -> float:
        size = max(float(np.abs(w).sum(dtype=np.float64)), self.total)
        off = abs(float(w.sum(dtype=np.float64)) - self.total)
        return max(off, -float(np.min(w, initial=0.0))) / size

    def linear_minimizer(self, g: Array) -> Array:
        """Return a point of the set at which ``g.w`` is least."""
        out = np.zeros_like(g)
        out[np.unravel_index(int(np.argmin(g)), g.shape)] = self.total
        return out

    def support(self, u: Array) -> float:
        return self.total * float(np.max(u))

    def tangent(self, w: Array, d: Array, near: float = 0.0) -> Array:
        # Directions with sum 0 that do not decrease an entry at 0.
        free = w > near
        t = shared_level(float(d[free].sum(dtype=np.float64)), int(free.sum()), d[~free])
        return np.asarray(np.where(free, d - t, np.maximum(d - t, 0.0)), dtype=d.dtype)
