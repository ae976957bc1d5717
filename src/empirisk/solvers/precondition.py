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
from empirisk.problems.linear_scores import LinearScores
from empirisk.solvers.newton import Newton, scalar_hessian
from empirisk.solvers.standardise import Standardisation, standardise
from empirisk.typing import Array, Capability

__all__ = ["classwise", "diagonal", "exact", "subsample", "subsamples"]

Inverse = Callable[[Array], Array]
Start = tuple[Array, Inverse, float]

# A subsample of c * p rows has a Hessian whose relative error is about sqrt(1/c) in every direction.
ROWS_PER_COLUMN = 40
FEWEST = 5_000
# Columns whose Hessian is formed at all.
MOST = 500
# The decrease, as a share of the null model's excess, after which the subsample has no more to say.
SETTLED = 1e-3


def diagonal(problem: LinearScores, w0: Array | None) -> Start:
    """Start, inverse of the Hessian's diagonal in centred columns, passes spent."""
    w = problem.start() if w0 is None else np.array(w0, dtype=np.float64)
    curvature = np.atleast_1d(problem.facts.null_curvature)
    # A loss that is not convex may curve downwards at the null model.
    typical = abs(float(curvature.mean())) or 1.0
    standard = standardise(problem, typical)

    def inverse(grad: Array) -> Array:
        u = standard.grad_to_u(grad)
        if problem.intercept:
            u[-1] = u[-1] / typical
        return standard.to_w(u)

    return w, inverse, 2.0


def subsample(problem: LinearScores, w0: Array | None) -> Start | None:
    """The same from an evenly spaced subsample of rows, or None when the data are too few for it.

    Evenly spaced rows of sorted data are representative, those of shuffled data random; a poor sample
    costs steps, never correctness.
    """
    if not isinstance(problem, LinearProblem) or not subsamples(problem):
        return None
    n, p = problem.design.shape
    size = _smallest(p)
    small = _evenly_spaced(problem, size)
    if small is None:
        return None
    found, spent = _newton_steps(small, w0, 8), 10.0 * size / n
    # One more step on as many rows as cost about one pass over all of them.
    larger = int(n / (5.0 + p / 3.0))
    more = _evenly_spaced(problem, larger) if larger > 2 * size else None
    if more is not None:
        small, found, spent = more, _newton_steps(more, found.w, 1), spent + 4.0 * larger / n
    inverse = _inverse(small, found.standard, found.evaluation)
    return (found.w, inverse, spent) if inverse is not None else None


def subsamples(problem: LinearProblem) -> bool:
    """Return whether :func:`subsample` applies: one score a row, twice differentiable, dense, many rows."""
    n, p = problem.design.shape
    dense = not (problem.n_outputs or problem.design.sparse)
    return dense and n >= 5 * _smallest(p) and p <= MOST and Capability.HESS in problem.loss.offers


def exact(problem: LinearScores, e: Evaluation) -> Inverse | None:
    """Inverse of the Hessian of all rows at the point of e; None where that is dear or not offered."""
    if not isinstance(problem, LinearProblem):
        return None
    one = not (problem.n_outputs or problem.design.sparse)
    if not one or problem.n_params > MOST or Capability.HESS not in problem.loss.offers:
        return None
    return _inverse(problem, standardise(problem), e)


def _smallest(p: int) -> int:
    return max(ROWS_PER_COLUMN * p, FEWEST)


def _inverse(problem: LinearProblem, standard: Standardisation, e: Evaluation) -> Inverse | None:
    try:
        factor = cho_factor(scalar_hessian(problem, standard, e), check_finite=False)
    except np.linalg.LinAlgError:
        return None

    def inverse(grad: Array) -> Array:
        return standard.to_w(np.asarray(cho_solve(factor, standard.grad_to_u(grad), check_finite=False)))

    return inverse


def _evenly_spaced(problem: LinearProblem, size: int) -> LinearProblem | None:
    """Return the problem of some rows, or None where they have one kind of target."""
    rows = np.linspace(0, problem.design.shape[0] - 1, size).astype(np.intp)
    block = problem.data.take(rows)
    if float(block.weight.sum()) <= 0.0 or (not problem.loss.quadratic and _one_sided(block)):
        return None
    data = ArrayBlocks(block.design, block.y, block.weight)
    return LinearProblem(problem.loss, problem.penalty, data, problem.intercept)


def _newton_steps(small: LinearProblem, w0: Array | None, most: int) -> Any:
    """Newton's method until little is left to gain."""
    newton = Newton()
    state: Any = newton.init(small, w0)
    for _ in range(most):
        before = state.evaluation.loss
        state = newton.step(small, state)
        if state.done or before - state.evaluation.loss <= SETTLED * small.null_excess:
            break
    return state


def classwise(problem: LinearScores, e: Evaluation) -> Callable[[Array], Array] | None:
    """Inverse of the Hessian's diagonal blocks, one per class, at the point of e; None where that is dear.

    Blocks of a softmax Hessian between classes are small when one class dominates a row.  Rows are
    subsampled when there are many.
    """
    if not isinstance(problem, LinearProblem):
        return None
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
    blocks, curvature = np.empty((problem.n_outputs, p, p)), np.empty(problem.n_outputs)
    for k in range(problem.n_outputs):
        d = q[:, k] * (1.0 - q[:, k]) * block.weight / total
        H = _loops.gram(block.design.X, d, center) / np.multiply.outer(standard.scale, standard.scale)
        # What the subsample or vanishing probabilities leave undetermined keeps a small curvature.
        extra = problem.penalty.l2 / standard.scale**2 + 1e-6 * float(d.sum())
        H[np.diag_indices_from(H)] += np.maximum(extra, 1e-300)
        blocks[k], curvature[k] = H, max(float(d.sum()), 1e-12)
    # A guess need not be exact: products with inverses take one call for all classes.
    inverses = np.linalg.inv(blocks)

    def inverse(grad: Array) -> Array:
        u = standard.grad_to_u(grad)
        u[:p] = (inverses @ u[:p].T[:, :, None])[:, :, 0].T
        if problem.intercept:
            u[p] /= curvature
        return standard.to_w(u)

    return inverse


def _one_sided(block: Any) -> bool:
    live = block.y.reshape(len(block.y), -1)[block.weight > 0.0, 0]  # further columns are offsets
    return bool(live.min() == live.max())
