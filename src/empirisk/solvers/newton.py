"""Newton's method with line search: Cholesky of the exact Hessian of a smooth problem.

``w <- w - t H^-1 grad F(w)``, H the Hessian of ``F`` in standardised variables, factorised afresh at
each step.  For vector scores (softmax) H has k^2 blocks of p x p.
Boyd & Vandenberghe 2004, Convex Optimization, 9.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.sums import inner
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.line_search import backtrack
from empirisk.solvers.newton_direction import newton_direction
from empirisk.solvers.standardise import Standardisation, standardise
from empirisk.typing import Array, Capability

__all__ = [
    "Newton",
    "full_hessian",
    "scalar_hessian",
    "weighted_block",
]

# Up to so many numbers (rows x classes x columns) NumPy's overhead weighs more than the extra products.
SMALL = 200_000
BLIND = 0.1  # share of the gradient that a singular Hessian may leave


@dataclass(frozen=True)
class NewtonState(State):
    """Iterate and the change of variables; along a path the Hessian of the loss, and the last decrement."""

    standard: Standardisation | None = None
    curvature: Array | None = None
    decrement: float = np.inf


@dataclass(frozen=True)
class Newton:
    """Exact Hessian, Cholesky, backtracking.

    Parameters
    ----------
    reuse : bool, default False
        Keep the Hessian of the loss (of one score a row) as long as each step with it divides the squared
        Newton decrement by at least 10: a step then costs a pass over X instead of n p^2.
    warm : NewtonState, optional
        End of the solve at the strength before, whose Hessian is the first to be tried.

    Notes
    -----
    O(n p^2 k^2 + p^3 k^3) per step, 5 to 10 steps.
    """

    reuse: bool = False
    warm: NewtonState | None = None

    name = "newton"
    needs = frozenset({Capability.DESIGN, Capability.GRAD, Capability.HESS, Capability.SMOOTH_PENALTY})

    def init(self, problem: LinearProblem, w0: Array | None = None) -> NewtonState:
        w = problem.null.copy() if w0 is None else np.array(w0, dtype=np.float64)
        last = self.warm
        if last is None or last.standard is None:
            return NewtonState(w, problem.evaluate(w), False, False, 2.0, "", standardise(problem))
        # Loss and gradient at the same point do not depend on the strength.
        e = last.evaluation if np.array_equal(w, last.w) else problem.evaluate(w)
        return NewtonState(w, e, False, False, 2.0, "", last.standard, last.curvature)

    def step(self, problem: LinearProblem, state: Any) -> NewtonState:
        grad = problem.gradient(state.w, state.evaluation)
        direction, curvature = self._aim(problem, state, grad)
        slope = inner(grad, direction)
        value = state.evaluation.loss + problem.penalty.value(problem.split(state.w)[0])
        passes = state.n_passes + 1.0

        def along(t: float) -> tuple[float, float, Any]:
            w = state.w + t * direction
            e = problem.evaluate(w)
            new_slope = float(np.vdot(problem.gradient(w, e), direction))
            return e.loss + problem.penalty.value(problem.split(w)[0]), new_slope, (w, e)

        found = backtrack(along, value, slope) if slope < 0.0 else None
        if found is None:
            return NewtonState(state.w, state.evaluation, True, True, passes, "", state.standard)
        w, e = found[1]
        return NewtonState(w, e, True, False, passes + 2.0, "", state.standard, curvature, -slope)

    def _aim(self, problem: LinearProblem, state: Any, grad: Array) -> tuple[Array, Array | None]:
        """Return the Newton direction, and the Hessian of the loss that it rests on when that is kept."""
        standard = state.standard
        g = standard.grad_to_u(grad)
        if not self.reuse or problem.n_outputs:
            H = full_hessian(problem, standard, state.evaluation)
            step = newton_direction(_lifted(problem, H), g)
            majorant = getattr(problem.loss, "majorant", None)
            if majorant is not None and np.linalg.norm(H @ step + g) > BLIND * np.linalg.norm(g):
                # Rows without curvature pull where the others give no answer: a parabola above the loss does.
                d = problem.data.weight * majorant(problem.data.y, state.evaluation.scores)
                step = newton_direction(_block(problem, standard, d, diagonal=True), g)
            return standard.to_w(step), None
        p, ridge = problem.data.n_cols, problem.penalty.l2 / standard.scale**2
        if state.curvature is not None:
            H = state.curvature.copy()
            H[np.arange(p), np.arange(p)] += ridge
            direction = standard.to_w(newton_direction(H, g))
            if -inner(grad, direction) <= 0.1 * state.decrement:
                return direction, state.curvature
        H = full_hessian(problem, standard, state.evaluation)
        curvature = H.copy()
        curvature[np.arange(p), np.arange(p)] -= ridge
        return standard.to_w(newton_direction(H, g)), curvature


def scalar_hessian(problem: LinearProblem, standard: Standardisation, e: Evaluation) -> Array:
    """Hessian of F in (u, c) for one score per row."""
    curvature = problem.loss.hess(problem.data.y, e.scores)
    return _block(problem, standard, problem.data.weight * curvature, diagonal=True)


def full_hessian(problem: LinearProblem, standard: Standardisation, e: Evaluation) -> Array:
    """Hessian in (u, c); for vector scores flattened class-major: index = row + column * rows of u."""
    if not problem.n_outputs:
        return scalar_hessian(problem, standard, e)
    z, data, loss = e.scores, problem.data, problem.loss
    k, m = problem.n_outputs, problem.n_params
    q = loss.mean(z)
    if len(z) * k * m <= SMALL and not problem.design.sparse:
        return _all_blocks(problem, standard, q)
    H = np.empty((k * m, k * m))
    for a in range(k):
        for b in range(a, k):
            d = q[:, a] * ((1.0 if a == b else 0.0) - q[:, b]) * data.weight
            block = _block(problem, standard, d, diagonal=a == b)
            H[a * m : (a + 1) * m, b * m : (b + 1) * m] = block
            H[b * m : (b + 1) * m, a * m : (a + 1) * m] = block.T
    return H


def _lifted(problem: LinearProblem, H: Array) -> Array:
    """H with curvature in the direction of equal shifts of all scores, which change no loss.

    It makes H definite and moves no step, because gradients have no part in that direction.
    """
    k, m = problem.n_outputs, problem.n_params
    if not k:
        return H
    lifted, at = H.copy(), np.arange(m)
    lifted.reshape(k, m, k, m)[:, at, :, at] += H.diagonal().max() / k
    return lifted


def _all_blocks(problem: LinearProblem, standard: Standardisation, q: Array) -> Array:
    """Return the softmax Hessian of few rows: ``blockdiag(x' s q_k x) - (q x)' s (q x)``, plus the
    penalty.
    """
    p, k = problem.data.n_cols, q.shape[1]
    x = np.empty((len(q), problem.n_params))
    x[:, :p] = (problem.design.X - standard.mean) / standard.scale
    x[:, p:] = 1.0
    root = np.sqrt(problem.data.weight / problem.data.total_weight)
    x *= root[:, None]
    products = (q[:, :, None] * x[:, None, :]).reshape(len(q), -1)
    H = -(products.T @ products)
    diagonal = (products.T @ x).reshape(k, problem.n_params, problem.n_params)
    if problem.penalty.l2 > 0.0:
        diagonal[:, np.arange(p), np.arange(p)] += problem.penalty.l2 / standard.scale**2
    for a in range(k):
        block = slice(a * problem.n_params, (a + 1) * problem.n_params)
        H[block, block] += diagonal[a]
    return np.asarray(H)


def _block(problem: LinearProblem, standard: Standardisation, d: Array, diagonal: bool) -> Array:
    """``[X~ 1]' diag(d) [X~ 1] / S`` in standardised columns, plus the penalty on a diagonal block."""
    p = problem.data.n_cols
    H = weighted_block(problem, standard, d)
    H /= problem.data.total_weight
    if diagonal and problem.penalty.l2 > 0.0:
        H[np.arange(p), np.arange(p)] += problem.penalty.l2 / standard.scale**2
    return H


def weighted_block(problem: LinearProblem, standard: Standardisation, d: Array) -> Array:
    """``[X~ 1]' diag(d) [X~ 1]`` in standardised columns X~: the part of the Hessian that the loss gives."""
    p, scale = problem.data.n_cols, standard.scale
    H = np.empty((problem.n_params, problem.n_params))
    H[:p, :p] = _weighted_gram(problem, d, standard.mean if problem.intercept else None)
    H[:p, :p] /= scale
    H[:p, :p] /= scale[:, None]
    if problem.intercept:
        cross = problem.design.rmatvec(d.astype(problem.design.dtype, copy=False)) - standard.mean * d.sum()
        H[p, :p] = H[:p, p] = cross / scale
        H[p, p] = d.sum()
    return H


def _weighted_gram(problem: LinearProblem, d: Array, center: Array | None) -> Array:
    X = problem.design.X
    if not problem.design.sparse and np.all(d >= 0.0):
        return np.asarray(_loops.gram(X, d, center))
    if problem.design.sparse:
        gram = np.asarray((X.T @ X.multiply(d[:, None]).tocsr()).todense(), dtype=np.float64)
        if center is not None:
            v = np.asarray(X.T @ d, dtype=np.float64)
            gram += d.sum() * np.outer(center, center) - np.outer(v, center) - np.outer(center, v)
        return gram
    return -np.asarray(_loops.gram(X, np.ascontiguousarray(-d), center))
