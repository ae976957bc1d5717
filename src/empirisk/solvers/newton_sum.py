"""Newton's method on a loss plus a function of the coefficients: what barriers and penalties rest on."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from empirisk.problems.linear import LinearProblem
from empirisk.solvers.newton import scalar_hessian
from empirisk.solvers.standardise import Standardisation
from empirisk.typing import Array

__all__ = ["newton_sum"]

INNER = 60  # Newton steps for one weight
TRUSTED = 2  # full steps after the decrease has drowned in rounding

Added = Callable[[Array], tuple[float, Array, Array]]


def newton_sum(
    problem: LinearProblem, added: Added, E: Array, f: Array, w: Array, t: float
) -> tuple[Array, int]:
    """``argmin t F(w) + added(coef)`` such that ``E coef = f``, from w, and the evaluations that it took.

    F is the mean loss; `added` gives value, gradient and Hessian, and +inf outside its domain (w is inside).
    Newton's method with equations and backtracking.
    """
    p, q = problem.data.n_cols, problem.n_params
    plain = Standardisation(np.zeros(p), np.ones(p), problem.intercept)
    wide = np.hstack([E, np.zeros((len(f), q - p))])
    evaluations, trusted = 1, 0
    e = problem.evaluate(w)
    value, grad, hess = added(w[:p])
    for _ in range(INNER):
        H = t * scalar_hessian(problem, plain, e)
        H[:p, :p] += hess
        g = t * e.grad
        g[:p] += grad
        d = _step(H, g, wide, f - E @ w[:p])
        slope = float(g @ d)
        if not np.isfinite(d).all():
            break
        if abs(slope) <= 1e-13 * (1.0 + t * abs(e.loss)):
            # The decrease drowns in rounding: full steps on trust, as long as they stay in the domain.
            trusted += 1
            ahead = added(w[:p] + d[:p])
            if trusted > TRUSTED or not math.isfinite(ahead[0]):
                break
            w, (value, grad, hess) = w + d, ahead
            e, evaluations = problem.evaluate(w), evaluations + 1
            continue
        size, old = 1.0, t * e.loss + value
        for _trial in range(60):
            new = w + size * d
            value, grad, hess = added(new[:p])
            evaluations += 1
            if math.isfinite(value):
                e = problem.evaluate(new)
                if t * e.loss + value <= old + 0.1 * size * min(slope, 0.0) + 1e-13 * abs(old):
                    break
            size *= 0.5
        else:
            return w, evaluations
        w = new
    return w, evaluations


def _step(H: Array, g: Array, E: Array, missed: Array) -> Array:
    """Return the step of the quadratic model under ``E d = missed``, scaled: borders must not spoil the
    digits.
    """
    scale = 1.0 / np.sqrt(np.maximum(np.diag(H), 1e-300))
    k = len(missed)
    K = np.zeros((len(g) + k, len(g) + k))
    K[: len(g), : len(g)] = H * np.outer(scale, scale)
    K[len(g) :, : len(g)] = E * scale
    K[: len(g), len(g) :] = (E * scale).T
    rhs = np.concatenate([-g * scale, missed])
    return np.asarray(np.linalg.lstsq(K, rhs, rcond=None)[0][: len(g)] * scale)
