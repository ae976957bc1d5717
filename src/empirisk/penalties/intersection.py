"""Intersections of constraint sets, by Dykstra's algorithm: projections on each set in turn, with memory.

Boyle and Dykstra, Advances in Order Restricted Statistical Inference (1986).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NoReturn

import numpy as np

from empirisk.penalties.base import ConstraintSet
from empirisk.penalties.inequalities import Inequalities
from empirisk.penalties.numbers import long_norm
from empirisk.typing import Array

__all__ = ["Intersection", "Projected"]


@dataclass(frozen=True)
class Projected:
    """A projection with its certificate.

    Parameters
    ----------
    point : array
        The exact projection onto the intersection of the same sets, each moved by at most `shift`.
    shift : float
        That distance: ``max_i ||point - x_i||``, x_i in set i.
    cycles : int
        Passes over the sets.
    """

    point: Array
    shift: float
    cycles: int


@dataclass(frozen=True)
class Intersection(ConstraintSet):
    """The points that lie in all of the sets.

    Dykstra (Boyle and Dykstra, 1986) projects on one set after the other, ``x_i = P_i(x + y_i)``, and keeps
    the increments ``y_i = x + y_i - x_i``, which are normal to set i at x_i and sum to ``v - x``.  So x is
    the exact projection of v onto the intersection of the sets moved by ``x - x_i``, and the stopping
    certificate is ``max_i ||x - x_i||``.  Unlike the change between cycles it is not small during a stall.

    Parameters
    ----------
    sets : sequence of ConstraintSet
        At least one; a common point is needed.
    tol : float
        Largest certificate relative to ``||x||``; a far v adds four roundings of ``||v||``.
    max_cycles : int
        Limit of the passes over the sets.  Curved sets need many for a v that is far away.

    Raises
    ------
    ValueError
        By `project`, when the limit is reached; names two sets that are proved to have no common point.

    Examples
    --------
    >>> from empirisk.penalties import Box, HalfSpace
    >>> both = Intersection([Box(0.0, 1.0), HalfSpace([1.0, 1.0], 1.0)])
    >>> both.project(np.array([2.0, 0.5])).round(6)
    array([1., 0.])
    """

    sets: Sequence[ConstraintSet]
    tol: float = 1e-13
    max_cycles: int = 20_000

    name = "intersection"
    ulps = 1e6  # the certificate's tolerance, not rounding alone

    def __post_init__(self) -> None:
        object.__setattr__(self, "sets", tuple(self.sets))
        if not self.sets or not all(isinstance(s, ConstraintSet) for s in self.sets):
            raise TypeError("sets must be constraint sets, at least one")
        if not 0.0 < self.tol < 1.0:
            raise ValueError(f"tol must lie in (0, 1), got {self.tol!r}")

    @property
    def smooth_border(self) -> bool:
        """Whether smooth inequalities describe all of the sets."""
        return all(s.smooth_border for s in self.sets)

    @property
    def members(self) -> tuple[ConstraintSet, ...]:
        return tuple(part for each in self.sets for part in each.members)

    def inequalities(self, p: int) -> Inequalities:
        return Inequalities.together([s.inequalities(p) for s in self.sets])

    def projection(self, v: Array) -> Projected:
        """Return the projection of v with its certificate."""
        found = _dykstra(v, [s.project for s in self.sets], self.tol, self.max_cycles)
        if found is None:
            self._explain(v)
        return found

    def project(self, v: Array) -> Array:
        return np.asarray(self.projection(v).point, dtype=v.dtype)

    def gap(self, w: Array) -> float:
        # Of one set the gap may be relative to single entries; what cycles leave is relative to the whole.
        w = w.astype(np.float64)
        size = max(long_norm(w), float(np.finfo(float).tiny))
        return max(long_norm(w - s.project(w)) for s in self.sets) / size

    def support(self, u: Array) -> float:
        raise TypeError(
            "the support function of an intersection has no formula; certify by the normal cone "
            "(subdiff_distance) instead of by a duality gap"
        )

    def tangent(self, w: Array, d: Array, near: float = 0.0) -> Array:
        # The tangent cone of an intersection is that of the tangent cones when the interiors meet, or the
        # sets are polyhedra.
        near = max(near, self.ulps * float(np.finfo(w.dtype).eps) * long_norm(w))
        cones = [_cone(s, w, near) for s in self.sets]
        found = _dykstra(d, cones, self.tol, self.max_cycles)
        if found is None:
            raise ValueError(f"the tangent cone was not reached in max_cycles={self.max_cycles} cycles")
        return np.asarray(found.point, dtype=d.dtype)

    def _explain(self, v: Array) -> NoReturn:
        """Two sets that a hyperplane separates, if there are such; else that the limit was reached."""
        for i, j in combinations(range(len(self.sets)), 2):
            a, b = self.sets[i], self.sets[j]
            x = b.project(v.astype(np.float64))
            for _ in range(1000):
                y = a.project(x)
                x = b.project(y)
            d = x - y
            if long_norm(d) > 1e-9 * max(long_norm(x), long_norm(y)) and _separates(a, b, y, x):
                raise ValueError(
                    f"the constraints contradict each other: sets {i} ({a.name}) and {j} ({b.name}) are "
                    f"{long_norm(d):.3g} apart"
                )
        raise ValueError(
            f"no point within tol={self.tol:g} of all sets was found in {self.max_cycles} cycles: they have "
            "no common point, meet at a very small angle, or v is very far away compared with their sizes "
            "(raise max_cycles or tol, or scale v)"
        )


def _separates(a: ConstraintSet, b: ConstraintSet, y: Array, x: Array) -> bool:
    """Return whether ``d = x - y`` proves that the sets are apart: it is normal to a at y, and ``-d`` to b at
    x.
    """
    d = x - y
    # A part of d along the set that is so short is the rounding of the projections.
    small = 1e-6 * long_norm(d)
    return long_norm(a.tangent(y, d)) <= small and long_norm(b.tangent(x, -d)) <= small


def _cone(s: ConstraintSet, w: Array, near: float) -> Callable[[Array], Array]:
    """Return the projection onto the tangent cone of one set at w."""
    return lambda d: s.tangent(w, d, near)


def _dykstra(
    v: Array, projections: Sequence[Callable[[Array], Array]], tol: float, max_cycles: int
) -> Projected | None:
    """Return the projection of v onto the intersection; None when the limit is reached."""
    x: Array = v.astype(np.float64)
    start, eps = x, float(np.finfo(np.float64).eps)
    y = [np.zeros_like(x) for _ in projections]
    for cycle in range(1, max_cycles + 1):
        visited = []
        for i, project in enumerate(projections):
            moved = x + y[i]
            x = project(moved)
            y[i] = moved - x
            visited.append(x)
        x = start - np.sum(y, axis=0)  # the same point, without the rounding of many cycles
        shift = max(long_norm(x - point) for point in visited)
        rounding = eps * (long_norm(start) + max(long_norm(part) for part in y))
        if shift <= max(tol * long_norm(x), 4.0 * rounding):
            return Projected(visited[-1], shift, cycle)
    return None
