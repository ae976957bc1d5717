"""Proximal Newton on all classes at once, for small multinomial problems with an L1 part.

The quadratic model has the full Hessian over classes and columns, its intercepts are eliminated by a Schur
complement, and coordinate descent on the remaining matrix minimises model plus penalty:

    min_d  grad.d + d'Hd/2 + P(w + d),    then a line search on F along d

Class by class, the same problem converges slowly where a rare class pulls its coefficients far out.
Lee, Sun & Saunders 2014 (SIAM J. Optim. 24), proximal Newton-type methods.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from empirisk import _loops
from empirisk.data.sums import inner
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.newton import full_hessian
from empirisk.solvers.standardise import Standardisation, column_scales
from empirisk.typing import Array, Capability

__all__ = ["JointNewton", "joint_direction"]

EPOCHS = 2_000  # of one model, at most; they cost p^2 each, not n


@dataclass(frozen=True)
class JointState(State):
    """Iterate and the centring of the columns."""

    standard: Standardisation | None = None


@dataclass(frozen=True)
class JointNewton:
    """Full Hessian, coordinate descent, line search.

    Notes
    -----
    O(n p^2 k^2) for a Hessian and O(p^2 k^2) for an epoch of coordinate descent; about 10 steps.

    Examples
    --------
    >>> import empirisk as er
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> problem = er.LogisticRegression(alpha=0.1, l1_ratio=1.0).problem(X, y)
    >>> er.solve(problem, "joint_newton").status.ok
    True
    """

    name = "joint_newton"
    newton = True
    needs = frozenset(
        {
            Capability.DESIGN,
            Capability.GRAD,
            Capability.HESS,
            Capability.SEPARABLE_PENALTY,
            Capability.CONJUGATE,
            Capability.DENSE,
        }
    )

    def init(self, problem: LinearProblem, w0: Array | None = None) -> JointState:
        w = problem.null.copy() if w0 is None else np.array(w0, dtype=np.float64)
        mean, sd = column_scales(problem)
        coef, _ = problem.split(w)
        coef[sd == 0.0] = 0.0  # a constant column has no part beside the intercept
        standard = Standardisation(mean, np.ones_like(sd), problem.intercept)
        return JointState(w, problem.evaluate(w), True, False, 2.0, "", standard)

    def step(self, problem: LinearProblem, state: Any) -> JointState:
        e, standard = state.evaluation, state.standard
        direction = joint_direction(problem, standard, full_hessian(problem, standard, e), state.w, e)
        if direction is None:
            return JointState(state.w, e, True, True, state.n_passes, "", standard)
        grad = problem.gradient(state.w, e)
        coef, moved = problem.split(state.w)[0], problem.split(state.w + direction)[0]
        l1 = problem.penalty.l1
        fall = inner(grad, direction) + l1 * float(np.abs(moved).sum() - np.abs(coef).sum())
        value = e.loss + problem.penalty.value(coef)
        t = 1.0
        for _ in range(30):
            w = state.w + t * direction
            new = problem.evaluate(w)
            change = new.loss + problem.penalty.value(problem.split(w)[0]) - value
            # Armijo's condition; near the optimum the expected fall drowns in rounding, and a step that does
            # not visibly rise is taken.
            if change <= 1e-4 * t * fall or (fall > -1e-13 * abs(value) and change <= 1e-15 * abs(value)):
                passes = state.n_passes + 3.0
                return JointState(w, new, True, not np.any(direction), passes, "", standard)
            t *= 0.5
        return JointState(state.w, e, True, True, state.n_passes + 30.0, "", standard)


def _factor(base: Array) -> Any:
    """Cholesky of the intercepts' block, lifted off singularity as little as will do; None where it is NaN.

    A class of next to no weight has a curvature below the rounding of the others'.
    """
    for lift in (1e-14, 1e-11, 1e-8):
        lifted = base + lift * np.diag(base).max() * np.eye(len(base))
        try:
            return cho_factor(lifted, check_finite=False)
        except np.linalg.LinAlgError:
            continue
    return None


def joint_direction(
    problem: LinearProblem,
    standard: Standardisation,
    H: Array,
    w: Array,
    e: Evaluation,
    factor: float = 1.0,
    precision: float = 1e-13,
) -> Array | None:
    """Minimiser of the quadratic model plus the penalty, minus w; None where rounding leaves nothing.

    The model's Hessian is `factor` times H, which is that of :func:`empirisk.solvers.newton.full_hessian`.
    Moves smaller than `precision`, relative to the size of the scores, end the descent.
    """
    p, m, k = problem.data.n_cols, problem.n_params, max(problem.n_outputs, 1)
    g = standard.grad_to_u(problem.gradient(w, e)).reshape(m, -1) / factor
    flat = g.T.reshape(-1)
    place = np.arange(k * m).reshape(k, m)
    of_w, of_b = place[:, :p].reshape(-1), place[:, p:].reshape(-1)
    S, q = H[np.ix_(of_w, of_w)], -flat[of_w]
    intercepts, across = None, H[np.ix_(of_b, of_w)]
    if problem.intercept:
        base = H[np.ix_(of_b, of_b)]
        # Equal shifts of all intercepts change nothing: curvature there only makes the block definite.
        base = base + (np.diag(base).max() / k if problem.n_outputs else 0.0)
        intercepts = _factor(base)
        if intercepts is None:
            return None
        S = S - across.T @ cho_solve(intercepts, across, check_finite=False)
        q = q + across.T @ cho_solve(intercepts, flat[of_b], check_finite=False)
    S[np.diag_indices_from(S)] = np.maximum(np.diag(S), 0.0)
    start = np.ascontiguousarray(problem.split(w)[0].reshape(p, -1).T.reshape(-1))
    new = start.copy()
    size = float(np.sqrt(2.0 * problem.null_excess))
    _loops.descend_gram(
        S, size**2, q, new, problem.penalty.l1 / factor, 0.0, problem.penalty.positive, EPOCHS, 0.0,
        precision * size,
    )  # fmt: skip
    d = np.zeros((k, m))
    d[:, :p] = (new - start).reshape(k, p)
    if intercepts is not None:
        d[:, p] = -cho_solve(intercepts, flat[of_b] + across @ (new - start), check_finite=False)
    # Back from (u, c) to (w, b), in the layout of the problem.
    out = standard.to_w(d.T.reshape(problem.shape))
    return out if np.isfinite(out).all() and np.any(out) else None
