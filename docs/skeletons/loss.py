"""The Huber loss: a copy-me file for a loss.

Copy to src/empirisk/losses/<name>.py, rename, change the formulas, and add one row to REGISTRY in
src/empirisk/losses/__init__.py.  tests/conformance/test_loss_contract.py then tests it: derivatives by
finite differences, the conjugate by Fenchel and Young, the constants by sampling, far scores.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.losses.base import ScalarLoss
from empirisk.typing import Array, Interval

__all__ = ["Huber"]


@dataclass(frozen=True)
class Huber(ScalarLoss):
    """``(z - y)^2 / 2`` where ``|z - y| <= d``, else ``d |z - y| - d^2 / 2``.

    Conjugate: ``u^2 / 2 + u y`` for ``|u| <= d``, else +inf.

    Parameters
    ----------
    d : float
        Where the square becomes linear, > 0.

    References
    ----------
    Huber 1964, Annals of Mathematical Statistics 35.

    Examples
    --------
    >>> Huber(1.0).value(np.array([0.0, 0.0]), np.array([0.5, 3.0]))
    array([0.125, 2.5  ])
    """

    d: float = 1.35

    name = "huber"
    y_domain = Interval()
    curvature = (0.0, 1.0)

    def __post_init__(self) -> None:
        if not (self.d > 0.0 and math.isfinite(self.d)):
            raise ValueError(f"d must be a finite number > 0, got {self.d!r}")

    @property
    def lipschitz(self) -> float:
        """Largest slope."""
        return self.d

    def value(self, y: Array, z: Array) -> Array:
        r = np.abs(z - y)
        return np.where(r <= self.d, 0.5 * np.minimum(r, self.d) ** 2, self.d * (r - 0.5 * self.d))

    def grad(self, y: Array, z: Array) -> Array:
        return np.clip(z - y, -self.d, self.d)

    def hess(self, y: Array, z: Array) -> Array:
        return (np.abs(z - y) <= self.d).astype(z.dtype)

    def conjugate(self, y: Array, u: Array) -> Array:
        return np.where(np.abs(u) <= self.d, u * (0.5 * u + y), np.inf)

    def mean(self, z: Array) -> Array:
        return z

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        # Normal in the middle, exponential tails: the integral of exp(-value / dispersion).
        s = math.sqrt(dispersion)
        middle = math.sqrt(2.0 * math.pi) * s * math.erf(self.d / (s * math.sqrt(2.0)))
        tails = 2.0 * dispersion / self.d * math.exp(-self.d * self.d / (2.0 * dispersion))
        return np.full_like(y, math.log(middle + tails))

    def best_constant(self, y: Array, s: Array) -> Array:
        # The derivative is piecewise linear in the constant: bisection between the extreme targets.
        low, high = float(np.min(y)), float(np.max(y))
        for _ in range(200):
            middle = 0.5 * (low + high)
            if float(s @ self.grad(y, np.full_like(y, middle))) > 0.0:
                high = middle
            else:
                low = middle
        return np.asarray(0.5 * (low + high))
