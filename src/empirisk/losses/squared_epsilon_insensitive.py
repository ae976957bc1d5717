"""Half the squared epsilon-insensitive loss: errors up to epsilon are free, and it has no kink."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.losses.base import SMOOTH, ScalarLoss, positive_number
from empirisk.losses.dual_rows import DualRows
from empirisk.typing import Array, Capability, Interval

__all__ = ["SquaredEpsilonInsensitive"]


@dataclass(frozen=True)
class SquaredEpsilonInsensitive(ScalarLoss):
    """``l(y, z) = max(0, |z - y| - epsilon)^2 / 2``; conjugate ``u^2 / 2 + u y + epsilon |u|``.

    Parameters
    ----------
    epsilon : float, default 0.1
        Half the width of the tube in which errors are free, >= 0, in units of the target; 0 gives half the
        squared error.

    Examples
    --------
    >>> SquaredEpsilonInsensitive(0.5).value(np.zeros(2), np.array([0.4, -2.5]))
    array([0., 2.])
    """

    epsilon: float = 0.1

    name = "squared_epsilon_insensitive"
    of_difference = True
    y_domain = Interval()
    curvature = (0.0, 1.0)
    lipschitz = math.inf
    offers = SMOOTH | {Capability.DUAL_STEP}

    def __post_init__(self) -> None:
        positive_number("epsilon", self.epsilon, zero=True)

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray(0.5 * np.maximum(np.abs(z - y) - self.epsilon, 0.0) ** 2)

    def grad(self, y: Array, z: Array) -> Array:
        r = z - y
        return np.asarray(r - np.clip(r, -self.epsilon, self.epsilon))

    def hess(self, y: Array, z: Array) -> Array:
        return (np.abs(z - y) > self.epsilon).astype(z.dtype)

    def conjugate(self, y: Array, u: Array) -> Array:
        return np.asarray(u * (0.5 * u + y) + self.epsilon * np.abs(u))

    def mean(self, z: Array) -> Array:
        return z

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        positive_number("dispersion", dispersion)
        return np.full_like(y, math.log(2.0 * self.epsilon + math.sqrt(2.0 * math.pi * dispersion)))

    def balance(self, y: Array, theta: Array, s: Array) -> Array:
        """Subtract the weighted mean: the domain is all of R."""
        total = s.sum()
        return np.asarray(theta - weighted_sum(s, theta) / total) if total > 0 else theta

    def dual_rows(self, y: Array) -> DualRows:
        return DualRows(y, np.full_like(y, -np.inf), np.full_like(y, np.inf), self.epsilon, 1.0)
