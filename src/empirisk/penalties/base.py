"""The contracts of a penalty and of a constraint set: convex functions of the coefficients.

Never of the intercept.

A *penalty* carries a strength ``alpha`` and is a frozen dataclass; paths make new ones.

A *constraint set* C is a penalty too, its indicator: 0 on C and +inf elsewhere.  Its prox is the projection
for every step, its conjugate the support function, its subdifferential the normal cone.  What it does not
have is a strength, because ``alpha * indicator = indicator``: ``with_strength`` and ``critical_strength``
refuse, and what varies along a path is the set itself (a radius, say: ``dataclasses.replace``).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import NoReturn, Protocol, Self, runtime_checkable

import numpy as np

from empirisk.penalties.abilities import Abilities, Size
from empirisk.penalties.inequalities import Inequalities
from empirisk.typing import Array, IndexArray

__all__ = ["ConstraintSet", "Penalty"]


@runtime_checkable
class Penalty(Protocol):
    """``P(w) = alpha * Omega(w)``, or the indicator of a :class:`ConstraintSet`.

    Attributes
    ----------
    name : str
        Registry name.
    separable : bool
        Whether ``P(w) = l1 ||w||_1 + l2 ||w||^2 / 2``, +inf outside ``w >= 0`` if `positive`: the formula
        that solvers by coordinate read.  They refuse every other penalty.
    l1, l2 : float
        Strengths of the parts of that formula; 0 for penalties that do not have it.
    strong_convexity, smoothness : float
        Constants of P; smoothness is infinite when P has kinks.
    convex : bool
        Structure fact.
    positive : bool
        Whether P is +inf outside ``w >= 0``.

    Notes
    -----
    What further can be asked is described, and answered by default, in
    :class:`empirisk.penalties.abilities.Abilities`.
    """

    @property
    def name(self) -> str: ...
    @property
    def l1(self) -> float: ...
    @property
    def l2(self) -> float: ...
    @property
    def strong_convexity(self) -> float: ...
    @property
    def smoothness(self) -> float: ...
    @property
    def convex(self) -> bool: ...
    @property
    def separable(self) -> bool: ...
    @property
    def positive(self) -> bool: ...
    @property
    def grouped(self) -> bool: ...
    @property
    def has_strength(self) -> bool: ...
    @property
    def formula(self) -> str: ...

    def blocks(self, p: int) -> tuple[IndexArray, Array]: ...

    def coercive(self, p: int) -> bool:
        """Return whether P grows at least linearly in every direction of p coefficients, and knows its
        conjugate.

        Then, and only then, every dual point can be made feasible by scaling, and the duality gap certifies.
        """
        ...

    def value(self, w: Array) -> float:
        """Return the penalty ``P(w)`` at the coefficients w, which is +inf outside a constraint set."""
        ...

    def prox(self, v: Array, step: float) -> Array:
        """``argmin_w ||w - v||^2 / 2 + step * P(w)``: the proximal point of v."""
        ...

    def conjugate(self, u: Array) -> float:
        """``sup_w u.w - P(w)``, which is +inf where the supremum is not finite."""
        ...

    def feasible_scale(self, u: Array) -> float:
        """Return the largest ``s <= 1`` for which ``conjugate(s * u)`` is finite."""
        ...

    def subdiff_distance(self, w: Array, grad: Array) -> Array:
        """``|-grad - q|`` per coefficient, q the point of the subdifferential of P at w nearest to ``-grad``.

        All zero exactly when w minimises (smooth part) + P; +inf where the subdifferential is empty.
        """
        ...

    def critical_strength(self, grad0: Array) -> float:
        """Return the smallest ``alpha`` for which w = 0 is optimal when the smooth part has gradient grad0 at
        0.
        """
        ...

    def with_strength(self, alpha: float) -> Self:
        """Return the same penalty with another strength."""
        ...


class ConstraintSet(Abilities, ABC):
    """A closed convex set as a penalty: its indicator, 0 inside and +inf outside.

    A set writes four methods: `project`, `gap` (how far outside), `support` and `tangent`; the contract of a
    :class:`Penalty` follows from them.  Arrays of any shape are taken as one vector.
    """

    convex = True
    separable = False
    positive = False
    has_strength = False
    l1 = 0.0
    l2 = 0.0
    strong_convexity = 0.0
    smoothness = math.inf
    # Points are members up to so many units in the last place of `gap`: a projection lands on the border.
    ulps = 64.0

    @property
    @abstractmethod
    def name(self) -> str:
        """The name under which the set stands in the registry."""

    @abstractmethod
    def project(self, v: Array) -> Array:
        """Return the point of the set nearest to v."""

    @abstractmethod
    def gap(self, w: Array) -> float:
        """Return how far w is outside, relative to the sizes that rounding acts on; 0 inside."""

    @abstractmethod
    def support(self, u: Array) -> float:
        """``sup u.w`` over the set, possibly +inf."""

    @abstractmethod
    def tangent(self, w: Array, d: Array, near: float = 0.0) -> Array:
        """Return the vector of the tangent cone at w nearest to d; borders up to `near` away count as met."""

    def coercive(self, p: int) -> bool:
        """Bounded sets are; a set says so itself."""
        return False

    @property
    def smooth_border(self) -> bool:
        """Whether smooth inequalities describe it; a set that writes `inequalities` has them."""
        return type(self).inequalities is not ConstraintSet.inequalities

    def inequalities(self, p: int) -> Inequalities:
        """Return the set in R^p written out; refused for borders with kinks."""
        raise TypeError(f"the set {self.name!r} has no description by smooth inequalities")

    def excess(self, w: Array) -> float:
        """Return a convex function that is <= 0 on the set alone; sets without a smooth border have one."""
        raise TypeError(f"the set {self.name!r} is described by smooth inequalities, not by one function")

    @property
    def members(self) -> tuple[ConstraintSet, ...]:
        """The sets that it is the intersection of: itself, unless it is made of others."""
        return (self,)

    @property
    def size(self) -> Size | None:
        """The one number that bounds its points, for balls and the like; None elsewhere."""
        return None

    def contains(self, w: Array) -> bool:
        """Return whether w lies in the set, up to the rounding of its own number format."""
        return self.gap(w) <= self.ulps * float(np.finfo(w.dtype).eps)

    def value(self, w: Array) -> float:
        """0 for members, +inf for other points."""
        return 0.0 if self.contains(w) else math.inf

    def prox(self, v: Array, step: float) -> Array:
        """Return the projection of v; the step does not matter, because the indicator of a set has no
        scale.
        """
        return self.project(v)

    def conjugate(self, u: Array) -> float:
        """Return the support function of the set, the conjugate of its indicator."""
        return self.support(u)

    def feasible_scale(self, u: Array) -> float:
        """1 or 0: a support function is positively homogeneous, so that no scale between them helps."""
        return 1.0 if math.isfinite(self.support(u)) else 0.0

    def subdiff_distance(self, w: Array, grad: Array) -> Array:
        """Return what of ``-grad`` points into the set: its distance to the normal cone (Moreau)."""
        if not self.contains(w):
            return np.full_like(w, math.inf)
        return np.abs(self.tangent(w, -grad))

    def critical_strength(self, grad0: Array) -> float:
        """Refuse, because a constraint set has no strength."""
        self._no_strength()

    def with_strength(self, alpha: float) -> Self:
        """Refuse, because a constraint set has no strength."""
        self._no_strength()

    def _no_strength(self) -> NoReturn:
        raise TypeError(
            f"the constraint set {self.name!r} has no strength, because a multiple of its indicator is the "
            "same indicator; make another set instead (dataclasses.replace with another radius or bound)"
        )
