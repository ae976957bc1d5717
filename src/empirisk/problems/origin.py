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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.sums import weighted_sum
from empirisk.typing import Array

if TYPE_CHECKING:
    from empirisk.problems.linear import LinearProblem

__all__ = ["Origin", "exact_dot", "find_origin"]

# Distances from 0, in standard deviations, from which a problem is moved: below, three digits are lost.
FAR = 1e3
# Rows that are looked at before the moments of more than that many are asked for.
SAMPLE = 512
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
        """Parameters of the given problem -> of the moved one."""
        return self._move(w, 1.0)

    def to_far(self, w: Array) -> Array:
        """The way back."""
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


def find_origin(problem: LinearProblem) -> tuple[Origin, LinearProblem] | None:
    """Where the problem should be measured from, and the moved problem; None when it lies near 0 already.

    Sparse columns stay where they are, because their zeros would not.
    """
    data = problem.data
    if not problem.intercept or data.total_weight == 0.0:
        return None
    columns, target = _columns(problem), _target(problem)
    if columns is None and target is None:
        return None
    design, y = problem.design, data.y
    c: Array = np.zeros(data.n_cols)
    t: Array = np.zeros(y.shape[1:])
    if columns is not None:
        c = columns
        design = Design(_moved(design.X, c, _dead(problem, c)))
    if target is not None:
        t = target
        y = y - t
    near = replace(problem, data=ArrayBlocks(design, y, data.weight))
    near.__dict__["moved"] = None
    if not np.any(y):  # a perfect null model: what counts as small is told by the targets themselves
        near.__dict__["target_square"] = problem.target_square
    if columns is None and "moments" in problem.__dict__:
        near.remember_moments(*problem.moments)
    return Origin(c, t), near


def _columns(problem: LinearProblem) -> Array | None:
    """Means of the columns that are far from 0, in the precision of X; None when there are none."""
    design, weight = problem.design, problem.data.weight
    n, p = design.shape
    if design.sparse or p == 0:
        return None
    if "moments" not in problem.__dict__ and n > 4 * SAMPLE:
        some = np.arange(0, n, n // SAMPLE)
        if np.any(weight[some]) and not _far(*Design(design.X[some]).moments(weight[some]), 0.1 * FAR).any():
            return None
    mean, variance = problem.moments
    far = _far(mean, variance, FAR)
    if not far.any():
        return None
    return np.where(far, mean, 0.0).astype(design.dtype).astype(np.float64)


def _far(mean: Array, variance: Array, many: float) -> Array:
    return np.asarray(np.abs(mean) > many * np.sqrt(variance))


def _dead(problem: LinearProblem, c: Array) -> Array:
    """Columns that are constant up to rounding, which without a penalty are no information."""
    if problem.penalty.coercive(problem.data.n_cols):
        return np.zeros(len(c), dtype=bool)
    eps = float(np.finfo(problem.design.dtype).eps)
    return np.asarray((c != 0.0) & (np.sqrt(problem.moments[1]) <= 8.0 * eps * np.abs(c)))


def _moved(X: Array, c: Array, dead: Array) -> Array:
    """``X - c`` in the precision of X where that is exact, else in float64."""
    order = "F" if X.flags.f_contiguous and not X.flags.c_contiguous else "C"
    out = np.subtract(X, c, dtype=np.float64, order=order)  # type: ignore[call-overload]
    out[:, dead] = 0.0
    if X.dtype != np.float64:
        short = out.astype(X.dtype)
        return short if np.array_equal(short, out) else np.asarray(out)
    return np.asarray(out)


def _target(problem: LinearProblem) -> Array | None:
    """Means of the targets where the loss lets them move and they are far from 0; else None."""
    if not getattr(problem.loss, "of_difference", False):
        return None
    y, s = problem.data.y, problem.data.weight
    if (s == 0.0).any():
        y, s = y[s > 0.0], s[s > 0.0]
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.asarray(weighted_sum(s, y) / problem.data.total_weight)
        low, high = y.min(axis=0), y.max(axis=0)
        mean = np.where(low == high, low, np.clip(mean, low, high))
        sd = np.sqrt(weighted_sum(s, (y - mean) ** 2) / problem.data.total_weight)
    far = np.isfinite(mean) & (np.abs(mean) > FAR * sd)
    return np.asarray(np.where(far, mean, 0.0)) if far.any() else None
