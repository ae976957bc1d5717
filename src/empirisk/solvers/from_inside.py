"""Minima on the border of what a link allows, approached from inside, with the multipliers that prove them.

Under some links a row's mean can run into the end of its range: a count of 0 whose mean goes to 0.  There the
derivative does not vanish, and no line search arrives.  With the targets moved off the end by a share t the
minimum lies inside; its slopes are feasible dual values of the problem as it is, and their Fenchel gap is
about t for every such row.  This is the central path of an interior-point method: Boyd and Vandenberghe,
Convex Optimization (2004), section 11.3.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution, Status
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["solve_from_inside"]

NEAR = 1e-5  # rows nearer to the end than this share of the largest score are on it
MOST = 2_000_000  # numbers of the block of rows that are balanced
SHARES = 10.0 ** -np.arange(2.0, 12.0, 0.5)


def solve_from_inside(problem: LinearProblem, tol: float, max_steps: int) -> Solution | None:
    """Return the minimum of a convex problem, as near as the path came; None for other problems."""
    loss, steps, w, best = problem.loss, 0, None, None
    if not loss.convex or loss.inward(problem.data.y, 0.1) is None:
        return None
    for share in SHARES:
        y = np.asarray(loss.inward(problem.data.y, float(share)))
        moved = replace(problem, data=ArrayBlocks(problem.design, y, problem.data.weight))
        found = solve(moved, "auto", w0=w, tol=tol, max_steps=max_steps)
        w, steps = found.w, steps + found.n_steps
        z = moved.scores(w)
        near = NEAR * float(np.abs(z).max(initial=0.0))
        on = (y != problem.data.y) & ((loss.outside(z - near) != 0.0) | (loss.outside(z + near) != 0.0))
        theta = _balanced(problem, -loss.grad(y, z), on)
        certificate = problem.certify(w, theta=theta)
        status = Status.CERTIFIED if certificate.within(tol) else Status.STALLED
        if best is None or certificate.relative < best.certificate.relative:
            best = Solution(w, status, certificate, steps, solver="newton", dual=theta)
        if status.ok or certificate.relative > 10.0 * best.certificate.relative:
            break  # certified, or rounding of scores this near to the end has taken over
    return best


def _balanced(problem: LinearProblem, theta: Array, on: np.ndarray) -> Array:
    """Return the dual values with those of rows on the end changed by the little that cancels the gradient.

    Scores within t of their end keep few digits, and so do the slopes there; the other rows say what they
    must be.
    """
    theta, rows = np.asarray(theta, dtype=np.float64), np.flatnonzero(on & (problem.data.weight > 0.0))
    if problem.penalty.l1 or problem.penalty.l2 or not len(rows) or len(rows) * problem.n_params > MOST:
        return theta
    weight = problem.data.weight / problem.data.total_weight
    block = problem.design.rows(rows).X
    X = np.asarray(block.toarray() if problem.design.sparse else block, dtype=np.float64)
    left = np.asarray(problem.design.X.T @ (weight * theta), dtype=np.float64)
    if problem.intercept:
        X, left = np.column_stack([X, np.ones(len(rows))]), np.append(left, float(weight @ theta))
    out = theta.copy()
    out[rows] -= np.linalg.lstsq((X * weight[rows, None]).T, left, rcond=None)[0]
    return out
