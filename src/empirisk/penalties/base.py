"""The contract of a penalty: a convex function of the coefficients, never of the intercept.

A penalty carries its strength ``alpha`` and is a frozen dataclass; paths make new objects.
"""

from __future__ import annotations

from typing import Protocol, Self, runtime_checkable

from empirisk.typing import Array

__all__ = ["Penalty"]


@runtime_checkable
class Penalty(Protocol):
    """``P(w) = alpha * Omega(w)``.

    Attributes
    ----------
    name : str
        Registry name.
    l1, l2 : float
        Strengths of the parts: ``P(w) = l1 ||w||_1 + l2 ||w||^2 / 2``.
    strong_convexity, smoothness : float
        Constants of P; smoothness is infinite when P has kinks.
    convex, separable : bool
        Structure facts.
    positive : bool
        Whether P is +inf outside ``w >= 0``.
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

    def value(self, w: Array) -> float:
        """P(w)."""
        ...

    def prox(self, v: Array, step: float) -> Array:
        """``argmin_w ||w - v||^2 / 2 + step * P(w)``."""
        ...

    def conjugate(self, u: Array) -> float:
        """``sup_w u.w - P(w)``, +inf when infeasible."""
        ...

    def feasible_scale(self, u: Array) -> float:
        """Largest ``s <= 1`` for which ``conjugate(s * u)`` is finite."""
        ...

    def subdiff_distance(self, w: Array, grad: Array) -> Array:
        """Distance of ``-grad`` to the subdifferential of P at w, per coefficient."""
        ...

    def critical_strength(self, grad0: Array) -> float:
        """Smallest ``alpha`` for which w = 0 is optimal when the smooth part has gradient grad0 at 0."""
        ...

    def with_strength(self, alpha: float) -> Self:
        """The same penalty with another strength."""
        ...
