"""Losses of the margin ``t = y z`` for labels y = -1 and +1."""

from __future__ import annotations

from abc import abstractmethod

from empirisk.losses.base import ScalarLoss
from empirisk.typing import Array, Interval

__all__ = ["MarginLoss"]


class MarginLoss(ScalarLoss):
    """``l(y, z) = phi(y z)``, so that ``l' = y phi'``, ``l'' = phi''`` and ``l*(u) = phi*(u y)``."""

    labels = True
    y_domain = Interval(-1.0, 1.0)

    @abstractmethod
    def phi(self, t: Array) -> Array:
        """Return the loss ``phi(t)`` of the margins t."""

    @abstractmethod
    def slope(self, t: Array) -> Array:
        """Return the derivative ``phi'(t)`` at the margins t."""

    @abstractmethod
    def bend(self, t: Array) -> Array:
        """Return the second derivative ``phi''(t)`` at the margins t, where it exists."""

    @abstractmethod
    def phi_conjugate(self, v: Array) -> Array:
        """Return the conjugate ``sup_t v t - phi(t)``, which is +inf outside its domain."""

    def value(self, y: Array, z: Array) -> Array:
        return self.phi(y * z)

    def grad(self, y: Array, z: Array) -> Array:
        return y * self.slope(y * z)

    def hess(self, y: Array, z: Array) -> Array:
        return self.bend(y * z)

    def conjugate(self, y: Array, u: Array) -> Array:
        return self.phi_conjugate(u * y)
