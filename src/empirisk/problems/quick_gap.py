"""The duality gap of an L2-penalised problem from one pass's sums, in O(p).

At ``theta = -loss'(z)`` the Fenchel equality ``loss*(loss'(z)) = z loss'(z) - loss(z)`` turns the dual
value into sums that the pass has already made: with mean loss L, gradient G in w and g in b,

    D(theta) = L - w.G - b.g - ||G||^2 / (2 l2)            (valid when g = 0)

A remaining g is repaired, and what that can cost is computed or bounded: by the loss itself where the sums
tell (:meth:`Loss.repair`), else by the shift d of all scores at which the slopes do sum to 0,
``theta = -loss'(z + d)``.  It is found by Newton's method over the scores that are known, and v_j moves by at
most ``rms(loss'(z + d) - loss'(z)) rms_j``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.sums import inner, weighted_sum
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.intercept import best_intercept
from empirisk.problems.linear_objective import LinearObjective
from empirisk.typing import Array, Capability

__all__ = ["by_shift", "quick_gap"]

# Relative sum of slopes up to which a shift counts as found; beyond it the full gap repairs the dual point.
RESIDUE = 1e-9


def quick_gap(problem: LinearObjective, w: Array, e: Evaluation) -> tuple[float, float] | None:
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
    # Without the intercept's part it is ``||G + l2 w||^2 / (2 l2)``.
    ideal = primal + conjugate - inner(b, grad_b) + inner(grad, grad) / (2.0 * penalty.l2)
    if not problem.intercept or not np.any(grad_b):
        return ideal, ideal
    repaired = problem.loss.repair(_Sums(problem, e, linear, grad, grad_b))
    if repaired is None and not by_shift(problem):
        return None
    extra, v = _shifted(problem, e, linear) if repaired is None else repaired
    if not math.isfinite(extra):
        return None
    return primal + conjugate + extra + inner(v, v) / (2.0 * penalty.l2), ideal


def by_shift(problem: LinearObjective) -> bool:
    """Return whether an intercept off its optimum is repaired by a shift of the scores, here and in the full
    gap.
    """
    loss = problem.loss
    newton = Capability.HESS in loss.offers and not problem.n_outputs
    return newton and loss.shifts


@dataclass(frozen=True)
class _Sums:
    """What a pass has told, as a loss may ask for it: :class:`empirisk.losses.abilities.PassSums`."""

    problem: LinearObjective
    evaluation: Evaluation
    linear: float
    grad: Array
    slope: Array

    @property
    def loss(self) -> float:
        return self.evaluation.loss

    @property
    def y(self) -> Array:
        return self.problem.loss.plain(self.problem.data.y)[1]

    @property
    def offset(self) -> Array:
        known = self.problem.loss.offset(self.problem.data.y)
        return np.zeros_like(self.evaluation.scores) if known is None else known

    @property
    def row_slopes(self) -> Array:
        return self.problem.loss.grad(self.problem.data.y, self.evaluation.scores)

    @property
    def column_means(self) -> Array:
        return self.problem.moments[0]

    @property
    def column_rms(self) -> Array:
        return _rms(self.problem)

    @property
    def products(self) -> Array:
        return self.problem.facts.target_products

    def mean(self, v: Array) -> Any:
        data = self.problem.data
        return weighted_sum(data.weight, v) / data.total_weight

    def shares(self, k: int) -> Array:
        data = self.problem.data
        return np.bincount(data.codes, weights=data.weight, minlength=k) / data.total_weight


def _rms(problem: LinearObjective) -> Array:
    mean, variance = problem.moments
    return np.asarray(np.sqrt(variance + mean**2))


def _weighted_mean(problem: LinearObjective, v: Array) -> float:
    return float(weighted_sum(problem.data.weight, v)) / problem.data.total_weight


def _shifted(problem: LinearObjective, e: Evaluation, linear: float) -> tuple[float, Array]:
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
