"""A linear problem whose columns or targets lie far from 0, told near 0.

``x.w + b = (x - c).w + (b + c.w)``, and where the loss depends on ``z - y`` alone the targets may move too:
with

    b' = b + c.w - t

the problem of the rows ``(x_i - c, y_i - t)`` has the same objective at (w, b') as the given one at (w, b).
Scores near 0 keep the digits that scores of the size of c.w lose, in a solve and in a certificate alike.  c
and t are numbers of the data's own precision, so that the differences are exact for rows within a factor of 2
of them (Sterbenz 1974) and rounded once elsewhere; b' is computed without rounding but the last.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.sums import weighted_sum
from empirisk.losses.base import Loss
from empirisk.typing import Array

__all__ = ["Origin", "exact_dot", "far_target"]

# Distances from 0, in standard deviations, from which a problem is moved: below, three digits are lost.
FAR = 1e3
SPLIT = 134_217_729.0  # 2^27 + 1, Veltkamp's constant


@dataclass(frozen=True, eq=False)
class Origin:
    """Where the columns and the targets are measured from.

    Parameters
    ----------
    columns : array, shape (p,)
        c; 0 for columns that stay.
    target : array, shape () or (k,)
        t; 0 where the targets stay.
    """

    columns: Array
    target: Array

    def to_near(self, w: Array) -> Array:
        """Return the parameters of the given problem -> of the moved one."""
        return self._move(w, 1.0)

    def to_far(self, w: Array) -> Array:
        """Return the parameters for the columns as they were given, the inverse of :meth:`to_near`."""
        return self._move(w, -1.0)

    def _move(self, w: Array, sign: float) -> Array:
        out = np.array(w, dtype=np.float64)
        if out.ndim == 1:
            out[-1] = exact_dot(self.columns, sign * out[:-1], out[-1], -sign * float(self.target))
            return out
        target = np.broadcast_to(self.target, out.shape[1:])
        for k in range(out.shape[1]):
            out[-1, k] = exact_dot(self.columns, sign * out[:-1, k], out[-1, k], -sign * float(target[k]))
        return out


def exact_dot(a: Array, b: Array, *more: float) -> float:
    """``a.b + sum(more)``, rounded once: Dekker's exact products, then an exact sum.

    Examples
    --------
    >>> exact_dot(np.array([1e16, 1.0]), np.array([1.0, 1.0]), -1e16)
    1.0
    """
    with np.errstate(over="ignore", invalid="ignore"):
        product = a * b
        high_a, high_b = (SPLIT * v - (SPLIT * v - v) for v in (a, b))
        low_a, low_b = a - high_a, b - high_b
        error = ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b
    if not (np.isfinite(product).all() and np.isfinite(error).all()):
        return float(np.dot(a, b)) + math.fsum(more)
    return math.fsum([*product.tolist(), *error.tolist(), *more])


def far_target(loss: Loss, data: ArrayBlocks) -> Array | None:
    """Return the means of the targets where the loss lets them move and they are far from 0; else None."""
    if not getattr(loss, "of_difference", False):
        return None
    y, s = data.y, data.weight
    if not data.unit_weights and (s == 0.0).any():
        y, s = y[s > 0.0], s[s > 0.0]
    if y.ndim == 1 and len(y) and _near(y, s, data.total_weight):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.asarray(weighted_sum(s, y) / data.total_weight)
        low, high = y.min(axis=0), y.max(axis=0)
        mean = np.where(low == high, low, np.clip(mean, low, high))
        sd = np.sqrt(weighted_sum(s, (y - mean) ** 2) / data.total_weight)
    far = np.isfinite(mean) & (np.abs(mean) > FAR * sd)
    return np.asarray(np.where(far, mean, 0.0)) if far.any() else None


def _near(y: Array, s: Array, total: float) -> bool:
    """Return whether a single target is seen at a glance to lie near 0, with as many digits as are needed."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(weighted_sum(s, y)) / total
        moved = y - mean
        square = float(weighted_sum(s, moved * moved)) / total
    return math.isfinite(square) and mean * mean < 0.25 * FAR * FAR * square
