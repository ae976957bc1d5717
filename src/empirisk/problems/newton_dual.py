"""A better dual point for parameters that are near the optimum, from Newton steps on their support.

At ``theta = -l'(z)`` the vector v misses ``l1 sign(w) + l2 w`` by the gradient g, and a weak penalty makes
much of that: the gap holds ``|g|^2 / (2 l2)``, and an L1 strength below the size of g shrinks theta.  With a
step d of Newton's method on the columns that are not 0,

    theta = -(l'(z) + l''(z) X d)

fulfils ``v = l1 sign(w) + l2 (w + d)`` there, and the gap holds ``g H^-1 g`` instead.  Whatever d is, what
the certificate makes of theta is true.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import eigh

from empirisk.problems.linear_objective import LinearObjective
from empirisk.typing import Array, Capability

__all__ = ["newton_duals"]

MOST_COLUMNS = 500  # each step costs p^3
MOST_WORK = 2e9  # rows * columns^2
STEPS = 4  # Newton steps from w, each of which offers a dual point


def newton_duals(problem: LinearObjective, w: Array, scores: Array) -> Iterator[Array]:
    """Dual values near those of the optimum, each found when it is asked for; none where the problem is too
    large or has no Hessian.

    Parameters
    ----------
    problem : LinearObjective
        One score a row, an elastic net or one of its ends.
    w : array
        Parameters near the optimum.
    scores : array, shape (n,)
        Their scores.
    """
    coef, _ = problem.split(np.asarray(w, dtype=np.float64))
    support = np.flatnonzero(coef) if problem.penalty.l1 > 0.0 else np.arange(len(coef))
    n, many = len(scores), len(support) + int(problem.intercept)
    fits = {Capability.HESS, Capability.SEPARABLE_PENALTY, Capability.FREE_SIGNS} <= problem.capabilities
    if problem.n_outputs or not fits or not 0 < many <= MOST_COLUMNS or n * float(many) ** 2 > MOST_WORK:
        return
    data, l1, l2 = problem.data, problem.penalty.l1, problem.penalty.l2
    share = data.weight / data.total_weight
    A = problem.design.columns(support).astype(np.float64)
    if problem.intercept:
        A = np.column_stack([A - problem.moments[0][support], np.ones(n)])
    ridge, pull, at = np.zeros(many), np.zeros(many), np.zeros(many)
    ridge[: len(support)], pull[: len(support)] = l2, l1 * np.sign(coef[support])
    at[: len(support)] = coef[support]
    z = scores
    for _ in range(STEPS):
        slope, bend = problem.loss.grad(data.y, z), np.maximum(problem.loss.hess(data.y, z), 0.0)
        step = _step(A, share * bend, ridge, A.T @ (share * slope) + ridge * at + pull)
        if step is None:
            break
        move = data.without_absent(A @ step)
        theta = -(slope + bend * move)
        if np.isfinite(theta).all():
            yield theta
        z, at = z + move, at + step


def _step(A: Array, weight: Array, ridge: Array, g: Array) -> Array | None:
    """``-H^-1 g`` for ``H = A' diag(weight) A + ridge``, refined once; None where H is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        H = (A.T * weight) @ A
    H[np.diag_indices_from(H)] += ridge
    size = np.sqrt(np.where(np.diag(H) > 0.0, np.diag(H), 1.0))
    scaled = H / size / size[:, None]
    if not (np.isfinite(scaled).all() and np.isfinite(g).all()):
        return None
    values, V = eigh(scaled, check_finite=False)
    inverse = np.where(values > 1e-15 * values[-1], 1.0 / np.maximum(values, 1e-300), 0.0)
    step: Array = np.zeros(len(g))
    for _ in range(3):
        left = g + A.T @ (weight * (A @ step)) + ridge * step
        step = step - (V @ (inverse * (V.T @ (left / size)))) / size
    return step
