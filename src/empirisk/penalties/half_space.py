"""The half-space ``{w : a.w <= b}``: one linear inequality."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from empirisk.penalties.base import ConstraintSet
from empirisk.penalties.inequalities import Inequalities
from empirisk.penalties.numbers import as_numbers, check_size, long_norm
from empirisk.typing import Array

__all__ = ["HalfSpace"]


@dataclass(frozen=True)
class HalfSpace(ConstraintSet):
    """``a.w <= b``; support function ``t b`` at ``u = t a, t >= 0``, else +inf.

    Projection ``v - a max(0, a.v - b) / ||a||^2``, O(p).

    Parameters
    ----------
    normal : sequence of float
        The vector a, not zero; as many entries as there are coefficients.
    offset : float
        The number b.

    Examples
    --------
    >>> HalfSpace([1.0, 1.0], 2.0).project(np.array([3.0, 1.0])).round(12)
    array([2., 0.])
    """

    normal: Sequence[float]
    offset: float = 0.0

    name = "half_space"

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", as_numbers("normal", self.normal))
        if not any(self.normal):
            raise ValueError("normal must not be the zero vector, which has no direction")
        if not math.isfinite(self.offset):
            raise ValueError(f"offset must be a finite number, got {self.offset!r}")

    @cached_property
    def _unit(self) -> tuple[Array, float]:
        """Return ``a / ||a||`` and ``b / ||a||``: the same half-space with a normal of length 1."""
        a = np.asarray(self.normal)
        size = long_norm(a)
        return a / size, self.offset / size

    def _excess(self, w: Array) -> float:
        unit, offset = self._unit
        check_size("normal", len(unit), w)
        return float(unit @ w.ravel()) - offset

    def inequalities(self, p: int) -> Inequalities:
        check_size("normal", len(self.normal), np.zeros(p))
        return Inequalities.of(p, rows=(np.asarray(self.normal)[None], np.array([float(self.offset)])))

    def project(self, v: Array) -> Array:
        w = v.astype(np.float64)
        for _ in range(2):  # the second time removes what rounding left of a far v
            w = w - max(self._excess(w), 0.0) * self._unit[0].reshape(w.shape)
        return np.asarray(w, dtype=v.dtype)

    def gap(self, w: Array) -> float:
        scale = max(long_norm(w), abs(self._unit[1]), np.finfo(float).tiny)
        return max(self._excess(w), 0.0) / scale

    def support(self, u: Array) -> float:
        unit, offset = self._unit
        check_size("normal", len(unit), u)
        flat = u.ravel().astype(np.float64)
        t = float(unit @ flat)
        off = long_norm(flat - t * unit)
        tolerance = self.ulps * float(np.finfo(u.dtype).eps) * long_norm(flat)
        return t * offset if off <= tolerance and t >= 0.0 else math.inf

    def tangent(self, w: Array, d: Array, near: float = 0.0) -> Array:
        unit, offset = self._unit
        border = self.ulps * float(np.finfo(w.dtype).eps) * max(long_norm(w), abs(offset))
        if self._excess(w) < -border - near:
            return d.copy()
        outward = max(float(unit @ d.ravel()), 0.0)
        return np.asarray(d - outward * unit.reshape(d.shape), dtype=d.dtype)
