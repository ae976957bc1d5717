"""The box: every coefficient has a lower and an upper bound of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from empirisk.penalties.base import ConstraintSet
from empirisk.penalties.inequalities import Inequalities
from empirisk.penalties.numbers import as_numbers, check_size
from empirisk.typing import Array

__all__ = ["Box"]

Bound = float | Sequence[float]


@dataclass(frozen=True)
class Box(ConstraintSet):
    """``lower_j <= w_j <= upper_j``; support function ``sum_j max(lower_j u_j, upper_j u_j)``; O(p).

    Parameters
    ----------
    lower, upper : float or sequence of float
        Bounds, one for all coefficients or one for each; infinite where there is none.

    Examples
    --------
    >>> Box(-1.0, [2.0, 0.5]).project(np.array([3.0, -4.0]))
    array([ 2., -1.])
    """

    lower: Bound
    upper: Bound

    name = "box"

    def __post_init__(self) -> None:
        for end in ("lower", "upper"):
            value = getattr(self, end)
            numbers = as_numbers(end, np.atleast_1d(value), finite=False)
            object.__setattr__(self, end, numbers if np.ndim(value) else numbers[0])
        low, high = np.atleast_1d(self.lower), np.atleast_1d(self.upper)
        if len(low) > 1 and len(high) > 1 and len(low) != len(high):
            raise ValueError(f"lower has {len(low)} entries and upper has {len(high)}")
        bad = np.flatnonzero((low > high) | (low == np.inf) | (high == -np.inf))
        if bad.size:
            j = int(bad[0])
            a, b = np.broadcast_arrays(low, high)
            raise ValueError(f"the box is empty: lower {a[j]:g} and upper {b[j]:g} at position {j}")

    def _ends(self, w: Array) -> tuple[Array, Array]:
        """Return the lower and upper bounds in the shape and the number format of w."""
        out = []
        for end in ("lower", "upper"):
            value = getattr(self, end)
            if isinstance(value, tuple):
                check_size(end, len(value), w)
                out.append(np.asarray(value, dtype=w.dtype).reshape(w.shape))
            else:
                out.append(np.full_like(w, value))
        return out[0], out[1]

    def coercive(self, p: int) -> bool:
        return bool(np.isfinite(self.lower).all() and np.isfinite(self.upper).all())

    def inequalities(self, p: int) -> Inequalities:
        eye, (low, high) = np.eye(p), self._ends(np.zeros(p))
        same = low == high  # bounds that meet are equations
        below, above = np.isfinite(low) & ~same, np.isfinite(high) & ~same
        rows = np.vstack([-eye[below], eye[above]]), np.concatenate([-low[below], high[above]])
        return Inequalities.of(p, rows=rows, equations=(eye[same], low[same]))

    def project(self, v: Array) -> Array:
        return np.asarray(np.clip(v, *self._ends(v)))

    def gap(self, w: Array) -> float:
        low, high = self._ends(w)
        off = np.maximum(np.maximum(low - w, w - high), 0.0) / np.maximum(np.abs(w), np.finfo(float).tiny)
        return float(np.max(off, initial=0.0))

    def linear_minimizer(self, g: Array) -> Array:
        """Return a point of the set at which ``g.w`` is least."""
        low, high = self._ends(g)
        return np.asarray(np.where(g > 0.0, low, high))

    def support(self, u: Array) -> float:
        low, high = self._ends(u.astype(np.float64))
        end = np.where(u > 0.0, high, low)
        at = u != 0.0  # 0 times an infinite bound is 0
        return float((end[at] * u[at]).sum())

    def tangent(self, w: Array, d: Array, near: float = 0.0) -> Array:
        low, high = self._ends(w)
        up = np.where(w <= low + near, np.maximum(d, 0.0), d)
        return np.where(w >= high - near, np.minimum(up, 0.0), up)
