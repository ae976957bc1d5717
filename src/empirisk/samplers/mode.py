"""Where chains start and in which shape they step: nothing that is claimed rests on it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from empirisk.samplers.base import Guess
from empirisk.typing import Array

__all__ = ["inverse_factor", "newton_mode", "proximal_mode"]

# Newton steps to the mode, and the decrement of U, in nats, at which it is near enough.
_NEWTON, _CLOSE = 100, 1e-6
# Proximal gradient steps to the mode of a penalty with kinks, near which chains start.
_PROXIMAL = 200
# Correlations nearer to 1 than this leave no digit in an inverse.
_SINGULAR = 1e-12


def newton_mode(target: Any) -> tuple[Array, Array]:
    """Return the minimum of U, by Newton steps that are halved until U falls, and the Hessian there.

    Parameters
    ----------
    target : LinearTarget
    """
    w = target.start
    value, grad = target.potential.value_grad(w)
    for _ in range(_NEWTON):
        H = target.hessian(w)
        try:
            step = cho_solve(cho_factor(H, lower=True), grad)
        except (LinAlgError, ValueError):
            return w, H
        decrement = float(step @ grad)
        if not decrement > _CLOSE:
            return w, H
        size = 1.0
        while size > 1e-6:
            there = w - size * step
            new, new_grad = target.potential.value_grad(there)
            if new <= value - 1e-4 * size * decrement:
                break
            size *= 0.5
        else:
            return w, H
        w, value, grad = there, new, new_grad
    return w, target.hessian(w)


def proximal_mode(target: Any) -> Guess:
    """Return a point near the mode by accelerated proximal gradient steps, and the factor of a shape.

    Each coefficient has the precision of a Laplace prior beside that of the rows: with density proportional
    to ``exp(-l1 |w|)`` the variance is ``2 / l1^2``.

    Parameters
    ----------
    target : LinearTarget
    """
    potential, t, l1 = target.potential, target.smoothing, float(target.problem.penalty.l1)
    w = before = v = target.inside(target.start)
    least, since = math.inf, 0
    for _ in range(_PROXIMAL):
        value, grad = potential.value_grad(v)
        if value <= least:
            w, least = v, value
            # The L2 part stands in the gradient and in the proximal map: near enough for a start.
            new = potential.prox(v - t * grad, t)
            v, before, since = new + since / (since + 3.0) * (new - before), new, since + 1
        else:
            # The momentum went too far, or, where there was none, the step.
            t = t if since > 1 else 0.25 * t
            v, before, since = w, w, 0
    H = target.hessian(w)
    p = target.problem.data.n_cols
    H[np.arange(p), np.arange(p)] += 0.5 * (potential.scale * l1) ** 2
    return Guess(w, inverse_factor(H))


def inverse_factor(H: Array) -> Array | None:
    """Return the lower factor of the inverse of H, or None where H is singular to working precision."""
    if not (np.isfinite(H).all() and (np.diag(H) > 0.0).all()):
        return None
    scale = np.sqrt(np.diag(H))
    correlation = H / np.outer(scale, scale)
    if np.linalg.eigvalsh(correlation)[0] <= _SINGULAR * len(H):
        return None
    inverse = cho_solve(cho_factor(correlation, lower=True), np.eye(len(H))) / np.outer(scale, scale)
    return np.asarray(np.linalg.cholesky(0.5 * (inverse + inverse.T)))
