"""The duality gap of an L2-penalised problem from one pass's sums, in O(p).

At ``theta = -loss'(z)`` the Fenchel equality ``loss*(loss'(z)) = z loss'(z) - loss(z)`` turns the dual
value into sums that the pass has already made: with mean loss L, gradient G in w and g in b,

    D(theta) = L - w.G - b.g - ||G||^2 / (2 l2)            (valid when g = 0)

A remaining g is repaired as :meth:`Loss.balance` would, and what the repair can cost is bounded:

- squared loss: subtracting the mean of theta is exact algebra;
- logistic: one side shrinks by ``1 - f = |g| / (heavier side)``; loss* rises by at most ``(1-f) log 2`` and
  v moves by at most ``(1-f) rms_j``, because ``0 >= loss* >= -log 2`` and ``|theta| <= 1``;
- softmax: a share t of theta is replaced by ``t (e_y - q)``; loss* rises by at most ``t log k`` and v_jk
  moves by at most ``t (|v_jk| + rms_j)``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from empirisk.data.sums import inner, weighted_sum
from empirisk.problems.evaluation import Evaluation
from empirisk.typing import Array

if TYPE_CHECKING:
    from empirisk.problems.linear import LinearProblem

__all__ = ["quick_gap"]


def quick_gap(problem: LinearProblem, w: Array, e: Evaluation) -> tuple[float, float] | None:
    """(certified gap, the part of it that solving for the intercept exactly would not remove), or None.

    None when the problem has no L2 penalty, has an L1 part or a constraint, or an unknown loss.
    """
    penalty = problem.penalty
    if penalty.l2 <= 0.0 or penalty.l1 > 0.0 or penalty.positive:
        return None
    coef, b = problem.split(w)
    grad, grad_b = problem.split(e.grad)
    linear = inner(coef, grad) + inner(b, grad_b)
    conjugate = linear - e.loss  # mean of loss*(loss'(z))
    primal = e.loss + penalty.value(coef)
    ideal = primal + conjugate + inner(grad, grad) / (2.0 * penalty.l2)
    if not problem.intercept or not np.any(grad_b):
        return ideal, ideal
    repair = _REPAIRS.get(problem.loss.name)
    if repair is None:
        return None
    extra, v = repair(problem, e)
    return primal + conjugate + extra + inner(v, v) / (2.0 * penalty.l2), ideal


def _squared(problem: LinearProblem, e: Evaluation) -> tuple[float, Array]:
    """theta' = theta + g: loss* changes by -g z + g^2/2 on average, and mean z = mean y + g."""
    mean, _ = problem.moments
    grad, g = problem.split(e.grad)
    data = problem.data
    y_mean = weighted_sum(data.weight, data.y) / data.total_weight
    change = float(np.sum(-g * (y_mean + g) + 0.5 * g**2))
    return change, grad - np.multiply.outer(mean, g)


def _rms(problem: LinearProblem) -> Array:
    mean, variance = problem.moments
    return np.asarray(np.sqrt(variance + mean**2))


def _logistic(problem: LinearProblem, e: Evaluation) -> tuple[float, Array]:
    data = problem.data
    grad, g = problem.split(e.grad)
    slope = np.abs(problem.loss.grad(data.y, e.scores))
    both_sides = float(weighted_sum(data.weight, slope)) / data.total_weight
    heavier = 0.5 * (both_sides + abs(float(g)))
    shrink = abs(float(g)) / heavier
    return shrink * math.log(2.0), np.abs(grad) + shrink * _rms(problem)


def _softmax(problem: LinearProblem, e: Evaluation) -> tuple[float, Array]:
    data = problem.data
    grad, g = problem.split(e.grad)
    shares = np.bincount(data.codes, weights=data.weight, minlength=problem.n_outputs) / data.total_weight
    negative = g > 0.0  # class sums of theta = -loss' that are negative
    c = float(np.min(shares[negative] / g[negative])) if negative.any() else math.inf
    t = 1.0 / (1.0 + c)
    moved = np.abs(grad) * (1.0 + t) + t * _rms(problem)[:, None]
    return t * math.log(problem.n_outputs), moved


_REPAIRS: dict[str, Callable[[LinearProblem, Evaluation], tuple[float, Array]]] = {
    "half_squared": _squared,
    "logistic": _logistic,
    "softmax": _softmax,
}
