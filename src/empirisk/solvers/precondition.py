"""Guesses of the inverse Hessian that turn a badly scaled problem into a benign one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from empirisk import _loops
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.newton import Newton, scalar_hessian
from empirisk.solvers.standardise import Standardisation, standardise
from empirisk.typing import Array, Capability

__all__ = ["classwise", "diagonal", "subsample"]

Start = tuple[Array, Callable[[Array], Array], float]

# A subsample of c * p rows has a Hessian whose relative error is about sqrt(1/c) in every direction.
ROWS_PER_COLUMN = 40


def diagonal(problem: LinearProblem, w0: Array | None) -> Start:
    """Start, inverse of the Hessian's diagonal in centred columns, passes spent."""
    w = problem.null.copy() if w0 is None else np.array(w0, dtype=np.float64)
    curvature = np.atleast_1d(problem.null_curvature)
    # A loss that is not convex may curve downwards at the null model.
    typical = abs(float(curvature.mean())) or 1.0
    standard = standardise(problem, typical)

    def inverse(grad: Array) -> Array:
        u = standard.grad_to_u(grad)
        if problem.intercept:
            u[-1] = u[-1] / typical
        return standard.to_w(u)

    return w, inverse, 2.0


def subsample(problem: LinearProblem, w0: Array | None) -> Start | None:
    """The same from an evenly spaced subsample of rows, or None when the data are too few for it.

    Evenly spaced rows of sorted data are representative, those of shuffled data random; a poor sample
    costs steps, never correctness.
    """
    n, p = problem.design.shape
    size = max(ROWS_PER_COLUMN * p, 5_000)
    if (
        Capability.HESS not in problem.capabilities
        or problem.n_outputs
        or n < 5 * size
        or p > 500
        or problem.design.sparse
    ):
        return None
    rows = np.linspace(0, n - 1, size).astype(np.intp)
    block = problem.data.take(rows)
    if float(block.weight.sum()) <= 0.0 or (problem.loss.name != "half_squared" and _one_sided(block)):
        return None
    small = LinearProblem(
        problem.loss, problem.penalty, ArrayBlocks(block.design, block.y, block.weight), problem.intercept
    )
    newton = Newton()
    state: Any = newton.init(small, w0)
    for _ in range(8):
        before = state.evaluation.loss
        state = newton.step(small, state)
        if state.done or before - state.evaluation.loss <= 1e-5 * before:
            break
    standard: Standardisation = state.standard
    H = scalar_hessian(small, standard, state.evaluation)
    try:
        factor = cho_factor(H, check_finite=False)
    except np.linalg.LinAlgError:
        return None

    def inverse(grad: Array) -> Array:
        return standard.to_w(cho_solve(factor, standard.grad_to_u(grad), check_finite=False))

    return state.w, inverse, 10.0 * size / n


def classwise(problem: LinearProblem, e: Evaluation) -> Callable[[Array], Array] | None:
    """Inverse of the Hessian's diagonal blocks, one per class, at the point of e; None where that is dear.

    Blocks of a softmax Hessian between classes are small when one class dominates a row.  Rows are
    subsampled when there are many.
    """
    n, p = problem.design.shape
    if not problem.n_outputs or p > 1_000 or problem.design.sparse:
        return None
    size = min(n, max(8 * p, 2_000))
    rows = np.linspace(0, n - 1, size).astype(np.intp)
    block = problem.data.take(rows) if size < n else next(iter(problem.data))
    total = float(block.weight.sum())
    if total <= 0.0:
        return None
    standard = standardise(problem)
    center = standard.mean if problem.intercept else None
    q = problem.loss.mean(e.scores[rows] if size < n else e.scores)
    factors, curvature = [], []
    for k in range(problem.n_outputs):
        d = q[:, k] * (1.0 - q[:, k]) * block.weight / total
        H = _loops.gram(block.design.X, d, center) / np.multiply.outer(standard.scale, standard.scale)
        # What the subsample or vanishing probabilities leave undetermined keeps a small curvature.
        extra = problem.penalty.l2 / standard.scale**2 + 1e-6 * float(d.sum())
        H[np.diag_indices_from(H)] += np.maximum(extra, 1e-300)
        factors.append(cho_factor(H, overwrite_a=True, check_finite=False))
        curvature.append(max(float(d.sum()), 1e-12))

    def inverse(grad: Array) -> Array:
        u = standard.grad_to_u(grad)
        for k, factor in enumerate(factors):
            u[:p, k] = cho_solve(factor, u[:p, k], check_finite=False)
        if problem.intercept:
            u[p] /= curvature
        return standard.to_w(u)

    return inverse


def _one_sided(block: Any) -> bool:
    live = block.y[block.weight > 0.0]
    return bool(live.min() == live.max())
