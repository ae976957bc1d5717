"""The L1 ball: coefficients whose absolute values sum to at most a radius.

Duchi, Shalev-Shwartz, Singer and Chandra, International Conference on Machine Learning (2008).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.penalties.abilities import Size
from empirisk.penalties.base import ConstraintSet
from empirisk.penalties.numbers import check_radius
from empirisk.penalties.water_level import shared_level, water_level
from empirisk.typing import Array

__all__ = ["L1Ball"]


@dataclass(frozen=True)
class L1Ball(ConstraintSet):
    """``||w||_1 <= radius``; support function ``radius max_j |u_j|``.

    The projection is soft thresholding, ``sign(v_j) max(0, |v_j| - t)``, at the t that gives the norm
    `radius`; found in O(p) (Duchi, Shalev-Shwartz, Singer and Chandra, ICML 2008).

    Parameters
    ----------
    radius : float
        Radius T, >= 0; at 0 the set is the origin.

    Examples
    --------
    >>> L1Ball(1.0).project(np.array([1.5, -1.0, 0.2]))
    array([ 0.75, -0.25,  0.  ])
    """

    radius: float

    name = "l1_ball"

    def __post_init__(self) -> None:
        check_radius("radius", self.radius)

    @property
    def size(self) -> Size:
        return Size("||w||_1", self.radius)

    def excess(self, w: Array) -> float:
        return float(np.abs(w).sum()) - self.radius

    def coercive(self, p: int) -> bool:
        return True

    def project(self, v: Array) -> Array:
        size = np.abs(v)
        if float(size.sum(dtype=np.float64)) <= self.radius:
            return v.copy()
        if self.radius == 0.0:
            return np.zeros_like(v)
        top = size.max()
        below = (size - top).astype(np.float64)  # exact for the entries that stay, however large they are
        kept = np.maximum(below - water_level(below.ravel(), self.radius), 0.0)
        return np.asarray(np.copysign(kept, v), dtype=v.dtype)

    def gap(self, w: Array) -> float:
        size = float(np.abs(w).sum(dtype=np.float64))
        return max(size - self.radius, 0.0) / max(size, self.radius, np.finfo(float).tiny)

    def linear_minimizer(self, g: Array) -> Array:
        """Return a point of the set at which ``g.w`` is least."""
        out = np.zeros_like(g)
        if g.size:
            j = np.unravel_index(int(np.argmax(np.abs(g))), g.shape)
            out[j] = -self.radius * np.sign(g[j])
        return out

    def support(self, u: Array) -> float:
        return self.radius * float(np.max(np.abs(u), initial=0.0))

    def tangent(self, w: Array, d: Array, near: float = 0.0) -> Array:
        # On the border the normal cone holds t s, t >= 0, with s = sign(w), and |s_j| <= 1 where w_j = 0.
        if self.radius == 0.0:
            return np.zeros_like(d)
        size = float(np.abs(w).sum(dtype=np.float64))
        if size < self.radius * (1.0 - self.ulps * float(np.finfo(w.dtype).eps)) - near:
            return d.copy()
        free = np.abs(w) > near
        along = float((np.sign(w) * d)[free].sum(dtype=np.float64))
        t = max(shared_level(along, int(free.sum()), np.abs(d[~free])), 0.0)
        return np.asarray(
            np.where(free, d - t * np.sign(w), np.sign(d) * np.maximum(np.abs(d) - t, 0.0)), dtype=d.dtype
        )
