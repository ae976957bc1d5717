"""The quantile (pinball) loss: its best prediction is a quantile of the target.

Koenker and Bassett, Econometrica 46 (1978).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.losses.abilities import Kink
from empirisk.losses.base import ScalarLoss, positive_number
from empirisk.losses.dual_rows import DualRows
from empirisk.typing import Array, Capability, Interval

__all__ = ["Quantile", "middle_quantile", "share_to_reach", "weighted_quantile"]


@dataclass(frozen=True)
class Quantile(ScalarLoss):
    """``l(y, z) = max(q (y - z), (q - 1) (y - z))``, whose best prediction is the q-quantile.

    Conjugate: ``u y`` for ``-q <= u <= 1 - q``, else +inf.  The negative log-likelihood of an asymmetric
    Laplace law with scale equal to the dispersion.

    Parameters
    ----------
    q : float, default 0.5
        Level of the quantile, strictly between 0 and 1; at 0.5 this is half the absolute loss.

    References
    ----------
    Koenker & Bassett 1978, Econometrica 46.

    Examples
    --------
    >>> Quantile(0.9).value(np.array([1.0, 1.0]), np.array([0.0, 2.0])).round(3)
    array([0.9, 0.1])
    """

    q: float = 0.5

    name = "quantile"
    of_difference = True
    exact_leaves = True
    row_slope = True
    y_domain = Interval()
    curvature = (0.0, math.inf)
    offers = frozenset({Capability.CONJUGATE, Capability.PIECEWISE_LINEAR, Capability.DUAL_STEP})

    def __post_init__(self) -> None:
        if not 0.0 < self.q < 1.0:
            raise ValueError(f"q must lie strictly between 0 and 1, got {self.q!r}")

    @property
    def lipschitz(self) -> float:
        """The slope of the steeper of the two sides."""
        return max(self.q, 1.0 - self.q)

    @property
    def quantile_level(self) -> float:
        """The level q, at which its best constant is the quantile."""
        return self.q

    @property
    def parameter(self) -> float:
        """The number that compiled loops take: q."""
        return float(self.q)

    def value(self, y: Array, z: Array) -> Array:
        r = y - z
        return np.maximum(self.q * r, (self.q - 1.0) * r)

    def grad(self, y: Array, z: Array) -> Array:
        # At the kink the subgradient 0.
        return np.where(z > y, 1.0 - self.q, np.where(z < y, -self.q, 0.0)).astype(z.dtype, copy=False)

    def hess(self, y: Array, z: Array) -> Array:
        return np.zeros_like(z)

    def conjugate(self, y: Array, u: Array) -> Array:
        # In float32 the end of the domain is the rounded one, which grad returns.
        low, high = u.dtype.type(-self.q), u.dtype.type(1.0 - self.q)
        return np.where((u >= low) & (u <= high), u * y, np.inf).astype(u.dtype, copy=False)

    def mean(self, z: Array) -> Array:
        return z

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        positive_number("dispersion", dispersion)
        return np.full_like(y, math.log(dispersion / (self.q * (1.0 - self.q))))

    def best_constant(self, y: Array, s: Array) -> Array:
        """Return the weighted q-quantile of the targets, the minimiser of the mean loss."""
        return weighted_quantile(y, s, self.q)

    def kinks(self, y: Array) -> list[Kink]:
        q, one = float(self.q), np.ones(len(y))
        return [(y, -q * one, (1.0 - q) * one)]

    def dual_rows(self, y: Array) -> DualRows:
        return DualRows(y, np.full_like(y, self.q - 1.0), np.full_like(y, self.q))


def weighted_quantile(y: Array, s: Array, q: float) -> Array:
    """Return the smallest target with a share of at least q of the weight at or below it.

    A share within its own rounding of q has reached it, so that the scale of the weights decides no tie.

    Examples
    --------
    >>> float(weighted_quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 3.0]), 0.5))
    2.0
    >>> float(weighted_quantile(np.arange(60.0), np.full(60, 1.0 / 60.0), 0.5))
    29.0
    """
    order = np.argsort(y, kind="stable")
    top = float(s.max(initial=0.0)) or 1.0
    below = np.cumsum(s[order] / top, dtype=np.float64)
    share = share_to_reach(q, len(y), s.dtype)
    return np.asarray(y[order[min(int(np.searchsorted(below, share * below[-1])), len(y) - 1)]])


def middle_quantile(y: Array, s: Array | None, q: float) -> float:
    """Return the middle of all q-quantiles: between the two targets where a share of exactly q is reached.

    Every point between them has the same mean loss; of equal weights this at 0.5 is the usual median.

    Examples
    --------
    >>> middle_quantile(np.array([4.0, 1.0, 2.0, 9.0]), None, 0.5)
    3.0
    >>> middle_quantile(np.array([1.0, 2.0]), np.array([0.1, 0.2]), 0.5)
    2.0
    """
    s = np.ones(len(y)) if s is None else s
    lowest = float(weighted_quantile(y, s, q))
    highest = -float(weighted_quantile(-y, s, 1.0 - q))
    return 0.5 * lowest + 0.5 * highest


def share_to_reach(q: float, n: int, dtype: Any = np.float64) -> float:
    """q less the rounding of a running share of n weights.

    Examples
    --------
    >>> 0.07 * 100 > 7.0, share_to_reach(0.07, 100) * 100 < 7.0
    (True, True)
    """
    rounding = n * float(np.finfo(np.float64).eps)
    if dtype == np.float32:
        rounding += float(np.finfo(np.float32).eps)
    return max(q - rounding, 0.5 * q)
