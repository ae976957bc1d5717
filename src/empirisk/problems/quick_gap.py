"""The duality gap of an L2-penalised problem from one pass's sums, in O(p).

At ``theta = -loss'(z)`` the Fenchel equality ``loss*(loss'(z)) = z loss'(z) - loss(z)`` turns the dual
value into sums that the pass has already made: with mean loss L, gradient G in w and g in b,

    D(theta) = L - w.G - b.g - ||G||^2 / (2 l2)            (valid when g = 0)

A remaining g is repaired, and what that can cost is computed or bounded.  As :meth:`Loss.balance` would:

- squared loss: subtracting the mean of theta is exact algebra;
- logistic: one side shrinks by ``1 - f = |g| / (heavier side)``; loss* rises by at most ``(1-f) log 2`` and
  v moves by at most ``(1-f) rms_j``, because ``0 >= loss* >= -log 2`` and ``|theta| <= 1``;
- softmax: a share t of theta is replaced by ``t (e_y - q)``; loss* rises by at most ``t log k`` and v_jk
  moves by at most ``t (|v_jk| + rms_j)``.

Or by the shift d of all scores at which the slopes do sum to 0, ``theta = -loss'(z + d)``:

- Poisson and gamma: d and all sums are closed, ``mean e^(z+d) = e^d mean e^z``;
- every other smooth loss: d by Newton's method over the scores that are known, v_j moves by at most
  ``rms(loss'(z + d) - loss'(z)) rms_j``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from empirisk.data.sums import inner, weighted_sum
from empirisk.losses import without_offset
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.intercept import best_intercept
from empirisk.typing import Array, Capability

if TYPE_CHECKING:
    from empirisk.problems.linear import LinearProblem

__all__ = ["by_shift", "quick_gap"]

# Relative sum of slopes up to which a shift counts as found; beyond it the full gap repairs the dual point.
RESIDUE = 1e-9
# Share of the larger term that a difference has to keep for a closed shift: below it, rounding would decide.
DIGITS = 1e-3


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
    base, _, _ = without_offset(problem.loss, problem.data.y, e.scores)
    repair = _REPAIRS.get(base.name)
    if repair is None:
        if not by_shift(problem):
            return None
        repair = _shifted
    extra, v = repair(problem, e, linear)
    if not math.isfinite(extra):
        return None
    return primal + conjugate + extra + inner(v, v) / (2.0 * penalty.l2), ideal


def by_shift(problem: LinearProblem) -> bool:
    """Return whether an intercept off its optimum is repaired by a shift of the scores, here and in the full
    gap.
    """
    loss = problem.loss
    newton = Capability.HESS in loss.offers and not problem.n_outputs
    return newton and loss.name not in ("half_squared", "logistic", "softmax")


def _squared(problem: LinearProblem, e: Evaluation, linear: float) -> tuple[float, Array]:
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


def _logistic(problem: LinearProblem, e: Evaluation, linear: float) -> tuple[float, Array]:
    data = problem.data
    grad, g = problem.split(e.grad)
    slope = np.abs(problem.loss.grad(data.y, e.scores))
    both_sides = float(weighted_sum(data.weight, slope)) / data.total_weight
    heavier = 0.5 * (both_sides + abs(float(g)))
    shrink = abs(float(g)) / heavier
    return shrink * math.log(2.0), np.abs(grad) + shrink * _rms(problem)


def _softmax(problem: LinearProblem, e: Evaluation, linear: float) -> tuple[float, Array]:
    data = problem.data
    grad, g = problem.split(e.grad)
    shares = np.bincount(data.codes, weights=data.weight, minlength=problem.n_outputs) / data.total_weight
    negative = g > 0.0  # class sums of theta = -loss' that are negative
    c = float(np.min(shares[negative] / g[negative])) if negative.any() else math.inf
    t = 1.0 / (1.0 + c)
    moved = np.abs(grad) * (1.0 + t) + t * _rms(problem)[:, None]
    return t * math.log(problem.n_outputs), moved


def _weighted_mean(problem: LinearProblem, v: Array) -> float:
    return float(weighted_sum(problem.data.weight, v)) / problem.data.total_weight


def _poisson(problem: LinearProblem, e: Evaluation, linear: float) -> tuple[float, Array]:
    """With A = mean e^z and C = mean z e^z, mean loss* is ``e^d (C - A) + d mean y`` at the shift d."""
    grad, g = problem.split(e.grad)
    _, y, o = without_offset(problem.loss, problem.data.y, np.zeros_like(e.scores))
    mean_y = _weighted_mean(problem, y)
    if mean_y <= 0.0 or mean_y + float(g) <= DIGITS * mean_y:
        return math.inf, grad
    d = -math.log1p(float(g) / mean_y)
    known = _weighted_mean(problem, o * y) if np.any(o) else 0.0
    extra = math.expm1(d) * (linear - e.loss - known) + d * mean_y
    return extra, math.exp(d) * grad + math.expm1(d) * problem.target_products


def _gamma(problem: LinearProblem, e: Evaluation, linear: float) -> tuple[float, Array]:
    """With R = mean y e^-z and Q = mean z y e^-z, mean loss* is ``-e^-d Q - 1 - d`` at the shift d."""
    grad, g = problem.split(e.grad)
    _, _, o = without_offset(problem.loss, problem.data.y, np.zeros_like(e.scores))
    ratio = 1.0 - float(g)
    if ratio <= DIGITS:
        return math.inf, grad
    d = math.log1p(-float(g))
    known = _weighted_mean(problem, o) if np.any(o) else 0.0
    q = e.loss - ratio - known - linear
    mean, _ = problem.moments
    return -math.expm1(-d) * q - float(g) - d, math.exp(-d) * grad - math.expm1(-d) * mean


def _shifted(problem: LinearProblem, e: Evaluation, linear: float) -> tuple[float, Array]:
    loss, data = problem.loss, problem.data
    grad, _ = problem.split(e.grad)
    z = e.scores + best_intercept(loss, data.y, data.weight, e.scores, np.zeros(()))
    slope, value = loss.grad(data.y, z), loss.value(data.y, z)
    # What the shift leaves of the sum of slopes: shrinking the heavier side by this share makes it vanish.
    share = abs(_weighted_mean(problem, slope)) / max(0.5 * _weighted_mean(problem, np.abs(slope)), 1e-300)
    if not share <= RESIDUE:
        return math.inf, grad
    conjugate = _weighted_mean(problem, z * slope - value)
    conjugate += share * _weighted_mean(problem, np.abs(z * slope) + np.abs(value))
    moved = math.sqrt(_weighted_mean(problem, (slope - loss.grad(data.y, e.scores)) ** 2))
    return conjugate - (linear - e.loss), np.abs(grad) + moved * _rms(problem)


_REPAIRS: dict[str, Callable[[LinearProblem, Evaluation, float], tuple[float, Array]]] = {
    "half_squared": _squared,
    "gamma": _gamma,
    "logistic": _logistic,
    "poisson": _poisson,
    "softmax": _softmax,
}
