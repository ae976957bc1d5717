"""Loss, gradient and scores of a linear problem in one pass over the data."""

from __future__ import annotations

import numpy as np

from empirisk import _loops
from empirisk.data.sums import weighted_sum
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.fused import fused_call
from empirisk.problems.linear_objective import LinearObjective
from empirisk.typing import Array

__all__ = ["evaluate", "two_reads"]


def evaluate(problem: LinearObjective, w: Array) -> Evaluation:
    """Evaluate in one fused read of X where a loop exists for the loss, else in one read for z and one for
    the gradient.
    """
    if problem.data.total_weight == 0.0:
        return Evaluation(0.0, np.zeros(problem.shape), problem.scores(w))
    if problem.loss.multinomial:
        return _fused_softmax(problem, w)
    call = fused_call(problem.loss, problem.data.y) if not problem.n_outputs else None
    if call is not None:
        return _fused_scalar(problem, w, call)
    return two_reads(problem, problem.scores(w))


def _weights(problem: LinearObjective) -> Array | None:
    return None if problem.data.unit_weights else problem.data.weight


def _fused_scalar(
    problem: LinearObjective, w: Array, call: tuple[str, float, Array, Array | None]
) -> Evaluation:
    coef, b = problem.split(w)
    name, parameter, y, offset = call
    total = problem.data.total_weight
    loss, grad, grad_b, z, *_ = _loops.linear_pass(
        problem.design.X, y, _weights(problem), coef, float(b), name, parameter, offset, want_z=True
    )
    grad = np.asarray(grad) / total
    return Evaluation(loss / total, problem.join(grad, grad_b / total), np.asarray(z))


def _fused_softmax(problem: LinearObjective, w: Array) -> Evaluation:
    coef, b = problem.split(w)
    total = problem.data.total_weight
    loss, grad, grad_b, z, _ = _loops.softmax_pass(
        problem.design.X, problem.data.codes, _weights(problem), coef, b, want_z=True
    )
    grad = np.asarray(grad) / total
    return Evaluation(loss / total, problem.join(grad, grad_b / total), np.asarray(z))


def two_reads(problem: LinearObjective, z: Array) -> Evaluation:
    """Return the same in plain NumPy, from scores that are known."""
    data, total = problem.data, problem.data.total_weight
    loss = float(weighted_sum(data.weight, problem.loss.value(data.y, z))) / total
    slope = ((data.weight / total) * problem.loss.grad(data.y, z).T).T
    X = problem.design.X
    grad = np.asarray(X.T @ slope.astype(X.dtype, copy=False), dtype=np.float64)
    return Evaluation(loss, problem.join(grad, slope.sum(axis=0)), z)
