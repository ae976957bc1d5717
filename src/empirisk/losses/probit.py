"""The Bernoulli loss with a probit link."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr, ndtri

from empirisk.losses.base import only_unit_dispersion
from empirisk.losses.margin import MarginLoss
from empirisk.losses.slopes import conjugate_by_search
from empirisk.typing import Array

__all__ = ["Probit"]

# Below this margin the continued fraction of Mills' ratio has all digits in so many terms.
FAR, TERMS = -4.0, 40


@dataclass(frozen=True)
class Probit(MarginLoss):
    """``l(y, z) = -log Phi(y z)``, labels -1 and +1, Phi the normal distribution function.

    With Mills' ratio ``r(t) = phi(t) / Phi(t)``: slope ``-y r``, curvature ``r (r + t)`` in (0, 1).
    The conjugate is finite for ``u y <= 0`` and found by a search whose result is never too small.

    Examples
    --------
    >>> Probit().value(np.array([1.0, -1.0]), np.array([0.0, 10.0])).round(4)
    array([ 0.6931, 53.2313])
    """

    name = "probit"
    curvature = (0.0, 1.0)
    lipschitz = math.inf
    escape = "classes"
    title = "Probit regression"
    unit_dispersion = True

    def phi(self, t: Array) -> Array:
        return -log_ndtr(t)

    def slope(self, t: Array) -> Array:
        return -_mills(t)[0]

    def bend(self, t: Array) -> Array:
        r, excess = _mills(t)
        return r * excess

    def phi_conjugate(self, v: Array) -> Array:
        a = np.asarray(-v, dtype=np.float64)
        out = np.where(a == 0.0, 0.0, np.inf)
        live = a > 0.0
        if live.any():
            # -t <= r(t), and r(t) <= 2 phi(t) for t >= 0.
            a = a[live]
            high = np.sqrt(np.maximum(2.0 * np.log(2.0 / (math.sqrt(2.0 * math.pi) * a)), 0.0))
            out[live] = conjugate_by_search(self, np.ones_like(a), -a, -a, high)
        return np.asarray(out.astype(v.dtype, copy=False))

    def mean(self, z: Array) -> Array:
        return np.asarray(ndtr(z))

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        only_unit_dispersion(self, dispersion)
        return np.zeros_like(y)

    def best_constant(self, y: Array, s: Array) -> Array:
        """Return the normal quantile of the weighted share of the label +1."""
        positive, negative = float(s[y > 0].sum()), float(s[y < 0].sum())
        share = min(positive, negative) / (positive + negative)
        return np.asarray(ndtri(share) if positive < negative else -ndtri(share))


def _mills(t: Array) -> tuple[Array, Array]:
    """``r(t)`` and ``r(t) + t``, the latter without cancellation for t far below 0."""
    near = np.maximum(t, FAR)
    density = np.exp(-0.5 * np.square(np.minimum(near, 150.0))) / math.sqrt(2.0 * math.pi)
    below = math.sqrt(2.0 / math.pi) / erfcx(np.minimum(near, 0.0) / -math.sqrt(2.0))
    r = np.where(near < 0.0, below, density / ndtr(near)).astype(t.dtype, copy=False)
    excess, is_far = r + near, t < FAR
    if is_far.any():
        far = t[is_far]
        # r(-x) = x + 1/(x + 2/(x + 3/(x + ...))), Abramowitz & Stegun 26.2.14.
        rest = np.zeros_like(far)
        for k in range(TERMS, 0, -1):
            rest = k / (rest - far)
        r[is_far], excess[is_far] = rest - far, rest
    return r, excess
