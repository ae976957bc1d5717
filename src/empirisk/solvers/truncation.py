"""Exact zeros at the end of a stochastic descent with an L1 part: truncated steps along the full gradient.

Every stochastic step truncates, and the gradient of the next row lifts coefficients off 0 again: neither an
iterate nor a mean of iterates has the zeros of the optimum.  A step along the gradient g of all rows,

    v_j <- S(v_j - g_j / L, l1_j / L) / (1 + l2_j / L),    S(t, a) = sign(t) max(|t| - a, 0),

sets to 0 what the optimum w* has at 0, as soon as w is near: where ``|g_j(w*)| < l1_j``, g and S are
continuous, so that ``|v_j - g_j / L| < l1_j / L`` holds in a neighbourhood of w*.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution
from empirisk.solvers.stochastic_rows import StochasticRows, curvature_scale, stochastic_rows
from empirisk.typing import Array

__all__ = ["slopes_of", "truncate", "truncated_step", "with_zeros"]

# Steps at most: they end where one more leaves the same zeros.
STEPS = 20
# Doublings of L for all steps together; beyond, rounding decides.
DOUBLINGS = 30


def truncate(
    problem: LinearProblem, rows: StochasticRows, w: Array, e: Evaluation, theta: Array | None = None
) -> tuple[Array, Evaluation, int]:
    """Return w after truncated steps, its evaluation, and the number of passes over the rows.

    Steps go on until one leaves the same zeros.  None is taken that raises the objective: L is doubled
    instead.

    Parameters
    ----------
    problem : LinearProblem
        With an L1 part; else w is returned.
    rows : StochasticRows
        Of the descent, whose coordinates the steps are taken in.
    w : array
        The output of the descent.
    e : Evaluation
        At w.
    theta : array, optional
        Dual values of the rows, for the first step along the gradient of a loss with kinks.
    """
    L, left, passes = curvature_scale(problem), DOUBLINGS, 0
    if not (problem.penalty.l1 > 0.0 and L > 0.0):
        return w, e, passes
    parts = rows.penalty(problem)
    g = e.grad if theta is None else slopes_of(problem, theta)
    for _ in range(STEPS):
        value, moved = problem.objective(w, e), None
        while left and moved is None:
            there = rows.outside(truncated_step(rows.inside(w), rows.gradient(g), L, parts))
            after = problem.evaluate(there)
            passes += 1
            if problem.objective(there, after) <= value:
                moved = there, after
            else:
                L, left = 2.0 * L, left - 1
        if moved is None:
            break
        same = np.array_equal(moved[0] == 0.0, w == 0.0)
        (w, e), g = moved, moved[1].grad
        if same:
            break
    return w, e, passes


def with_zeros(problem: LinearProblem, solution: Solution, tol: float) -> Solution:
    """Return a solution of an L1 problem after truncated steps, where its certificate stays as good.

    A mean of iterates that is within a loose tolerance still may have no zeros.
    """
    near, w = problem.near(solution.w)
    if not (near.penalty.l1 > 0.0 and np.isfinite(w).all()):
        return solution
    v, _, passes = truncate(near, stochastic_rows(near, stored_only=True), w, near.evaluate(w))
    found = v if problem.moved is None else problem.moved[0].to_far(v)
    certificate = problem.certify(found)
    if not (certificate.within(tol) or certificate.value <= solution.certificate.value):
        return solution
    return replace(
        solution, w=found, certificate=certificate, n_passes=solution.n_passes + passes + 2.0, dual=None
    )


def truncated_step(v: Array, g: Array, L: float, parts: dict[str, Any]) -> Array:
    """Return the proximal step ``prox(v - g / L)`` for strengths per coordinate; None is a part of 0."""
    l1, l2, low = parts["l1"], parts["l2"], parts["low"]
    there = v - g / L
    if l1 is not None:
        there = np.sign(there) * np.maximum(np.abs(there) - l1 / L, 0.0)
    if l2 is not None:
        there = there / (1.0 + l2 / L)
    return there if low is None else np.maximum(there, low)


def slopes_of(problem: LinearProblem, theta: Array) -> Array:
    """Return the gradient of the mean loss whose rows have the derivatives ``-theta``."""
    slope = -problem.data.weight / problem.data.total_weight * theta
    X = problem.design.X
    grad = np.asarray(X.T @ slope.astype(X.dtype, copy=False), dtype=np.float64)
    return problem.join(grad, slope.sum())
