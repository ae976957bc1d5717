"""Searches along one score: the conjugate, the best constant and the curvature of a convex loss by number.

With ``l'(a) <= u <= l'(b)`` the supremum ``l*(u) = sup_z u z - l(z)`` is attained in [a, b], and for every z
there convexity gives ``u z - l(z) <= l*(u) <= u z - l(z) + |u - l'(z)| max(z - a, b - z)``.  The upper end is
returned: a dual value made of it is never too large, whatever the search has missed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from empirisk.typing import Array, Capability

__all__ = ["conjugate_by_search", "constant_by_bisection", "curvature_by_differences"]

FARTHEST = 2.0**30  # scores beyond this count as infinite
ITERATIONS = 200  # far more than bisection alone needs for the 53 bits of a double


class Slopes(Protocol):
    """What a search asks of a loss: its value, its slope, and its curvature where it offers HESS."""

    @property
    def offers(self) -> frozenset[Capability]: ...
    def value(self, y: Array, z: Array) -> Array: ...
    def grad(self, y: Array, z: Array) -> Array: ...
    def hess(self, y: Array, z: Array) -> Array: ...


def conjugate_by_search(
    loss: Slopes, y: Array, u: Array, low: Array | None = None, high: Array | None = None
) -> Array:
    """Return the upper end of the enclosure of ``l*(u)``, by Newton's method safeguarded with bisection.

    `low` and `high` may give a bracket of the score whose slope is u; rounding in them is forgiven.
    +inf where no score up to 2^30 brackets u.
    """
    dtype = u.dtype
    y, u = np.asarray(y, dtype=np.float64), np.asarray(u, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        a, b = _outward(loss, y, u, low, -1.0), _outward(loss, y, u, high, 1.0)
        found = np.isfinite(a) & np.isfinite(b)
        out = np.full(u.shape, np.inf)
        if found.any():
            out[found] = _search(loss, y[found], u[found], a[found], b[found])
    return out.astype(dtype, copy=False)


def _outward(loss: Slopes, y: Array, u: Array, end: Array | None, sign: float) -> Array:
    """Ends moved away until their slope lies on the far side of u; infinite where none does."""
    step = np.ones_like(u) if end is None else np.maximum(1e-12 * np.abs(end), 1e-12)
    end = np.zeros_like(u) if end is None else np.array(end, dtype=np.float64)
    for _ in range(120):
        wrong = np.isfinite(end) & ~(sign * (loss.grad(y, end) - u) >= 0.0)
        if not wrong.any():
            break
        end[wrong] += sign * step[wrong]
        step[wrong] *= 4.0
        end[np.abs(end) > FARTHEST] = sign * np.inf
    return end


def _search(loss: Slopes, y: Array, u: Array, a: Array, b: Array) -> Array:
    z = 0.5 * (a + b)
    newton = Capability.HESS in loss.offers
    for iteration in range(ITERATIONS):
        slope = loss.grad(y, z) - u
        a, b = np.where(slope <= 0.0, z, a), np.where(slope >= 0.0, z, b)
        middle = 0.5 * (a + b)
        new: Array = middle
        noise: Array = np.zeros_like(z)
        if newton:
            curvature = loss.hess(y, z)
            step = np.divide(slope, curvature, out=np.full_like(z, np.nan), where=curvature > 0.0)
            inside = (z - step > a) & (z - step < b)
            # Now and then the bracket is halved, should Newton's steps creep.
            new = np.where(inside, z - step, middle) if iteration % 8 != 7 else middle
            # What rounding of z and of the slope's terms does to the slope: nothing is left to gain below it.
            noise = 4e-16 * (np.abs(u) + curvature * np.maximum(np.abs(z), 1.0))
        settled = (np.abs(new - z) <= 4e-16 * np.abs(z)) | (np.abs(slope) <= noise)
        z = np.where(settled, z, new)
        if settled.all():
            break
    miss = np.abs(loss.grad(y, z) - u) * np.maximum(z - a, b - z)
    return np.asarray(u * z - loss.value(y, z) + np.where(np.isfinite(miss), miss, np.inf))


def constant_by_bisection(
    slope: Callable[[float], float], y: Array, bend: Callable[[float], float] | None = None
) -> Array:
    """Return the constant at which a non-decreasing slope changes its sign; infinite when it never does.

    With the slope's own derivative `bend`, Newton's steps shorten the search while they stay in the bracket.
    """
    low, high = min(-1.0, float(np.min(y))), max(1.0, float(np.max(y)))
    width = high - low
    while slope(low) > 0.0:
        low, width = low - width, 2.0 * width
        if low < -FARTHEST * (1.0 + abs(high)):
            return np.asarray(-np.inf)
    while slope(high) < 0.0:
        high, width = high + width, 2.0 * width
        if high > FARTHEST * (1.0 + abs(low)):
            return np.asarray(np.inf)
    point = 0.5 * (low + high)
    for iteration in range(ITERATIONS):
        if not low < point < high:
            break
        at = slope(point)
        if at == 0.0:
            return np.asarray(point)
        low, high = (low, point) if at > 0.0 else (point, high)
        new, curvature = 0.5 * (low + high), bend(point) if bend is not None and iteration % 4 != 3 else 0.0
        if curvature > 0.0 and low < point - at / curvature < high:
            new = point - at / curvature
            if abs(new - point) <= 4e-16 * abs(new):
                return np.asarray(new)
        point = new
    return np.asarray(low if abs(slope(low)) <= abs(slope(high)) else high)


def curvature_by_differences(grad: Callable[[Array], Array], z: Array) -> Array:
    """Central differences with a step of the cube root of the precision."""
    h = float(np.cbrt(np.finfo(z.dtype).eps)) * np.maximum(np.abs(z), 1.0).astype(z.dtype)
    return np.asarray((grad(z + h) - grad(z - h)) / (2.0 * h))
