"""The Huber loss: squared for small residuals and linear for large ones, so that outliers pull with a limit.

Huber, Annals of Mathematical Statistics 35 (1964).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.losses.base import SMOOTH, ScalarLoss, positive_number
from empirisk.losses.dual_rows import DualRows
from empirisk.typing import Array, Capability, Interval

__all__ = ["Huber"]


@dataclass(frozen=True)
class Huber(ScalarLoss):
    """``l(y, z) = (z - y)^2 / 2`` where ``|z - y| <= d``, else ``d |z - y| - d^2 / 2``.

    Conjugate: ``u^2 / 2 + u y`` for ``|u| <= d``, else +inf.  The negative log-likelihood of a law that is
    normal in the middle and has exponential tails.

    Parameters
    ----------
    d : float, default 1.35
        Where the square becomes linear, > 0, in units of the target (divide the target by the scale of its
        noise first; 1.35 then has 95 % of the efficiency of least squares under normal noise).

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
    of_difference = True
    absorbs_offset = True
    exact_leaves = True
    fused = True
    row_slope = True
    y_domain = Interval()
    curvature = (0.0, 1.0)
    offers = SMOOTH | {Capability.DUAL_STEP}

    def __post_init__(self) -> None:
        positive_number("d", self.d)

    @property
    def lipschitz(self) -> float:
        """The largest slope, which is that of the linear part."""
        return self.d

    @property
    def parameter(self) -> float:
        """The number that compiled loops take: d."""
        return float(self.d)

    def value(self, y: Array, z: Array) -> Array:
        r = np.abs(z - y)
        return np.where(r <= self.d, 0.5 * np.minimum(r, self.d) ** 2, self.d * (r - 0.5 * self.d))

    def grad(self, y: Array, z: Array) -> Array:
        return np.clip(z - y, -self.d, self.d)

    def hess(self, y: Array, z: Array) -> Array:
        return (np.abs(z - y) <= self.d).astype(z.dtype)

    def majorant(self, y: Array, z: Array) -> Array:
        """Curvature ``min(1, d / |z - y|)`` of the parabola about y that touches the loss at z from above."""
        return self.d / np.maximum(np.abs(z - y), self.d)

    def conjugate(self, y: Array, u: Array) -> Array:
        inside = np.abs(u) <= u.dtype.type(self.d)
        return np.where(inside, u * (0.5 * u + y), np.inf).astype(u.dtype, copy=False)

    def best_constant(self, y: Array, s: Array) -> Array:
        """Newton's method from the median: exact once the rows in the middle are known."""
        b, low, high = float(np.median(y[s > 0.0])) if np.any(s) else 0.0, -math.inf, math.inf
        total = float(s.sum())
        for _ in range(100):
            r = y - b
            pull = float(weighted_sum(s, np.clip(r, -self.d, self.d)))
            inside = float(weighted_sum(s, np.abs(r) <= self.d))
            low, high = (b, high) if pull > 0.0 else (low, b)
            step = pull / inside if inside > 0.0 else math.copysign(math.inf, pull)
            proposal = b + step
            if not low < proposal < high:
                proposal = 0.5 * (low + high)
            if abs(pull) <= 1e-16 * self.d * total or not math.isfinite(proposal):
                break
            moved, b = abs(proposal - b), proposal
            # Two units in the last place: the iteration cannot come closer.
            if moved <= 4e-16 * abs(b):
                break
        return np.asarray(b)

    def mean(self, z: Array) -> Array:
        return z

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        positive_number("dispersion", dispersion)
        s = math.sqrt(dispersion)
        middle = math.sqrt(2.0 * math.pi) * s * math.erf(self.d / (s * math.sqrt(2.0)))
        tails = 2.0 * dispersion / self.d * math.exp(-self.d * self.d / (2.0 * dispersion))
        return np.full_like(y, math.log(middle + tails))

    def dual_rows(self, y: Array) -> DualRows:
        return DualRows(y, np.full_like(y, -self.d), np.full_like(y, self.d), curvature=1.0)
