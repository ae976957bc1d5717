"""Where chains start and in which shape they step: nothing that is claimed rests on it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from empirisk.samplers.base import Guess
from empirisk.typing import Array

__all__ = ["DENSE", "inverse_factor", "laplace_shape", "newton_mode", "proximal_mode", "step_within"]

# Parameters up to which the covariance near the mode is formed.
DENSE = 500
# Newton steps to the mode, and the decrement of U, in nats, at which it is near enough.
_NEWTON, _CLOSE = 200, 1e-6
# The share of a decrement that a step may leave for its Hessian to serve once more.
_FALLEN = 0.01
# Proximal gradient steps to the mode of a penalty with kinks, near which chains start.
_PROXIMAL = 200
# Correlations nearer to 1 than this leave no digit in an inverse.
_SINGULAR = 1e-12


def newton_mode(
    w: Array,
    value_grad: Callable[[Array], tuple[float, Array]],
    hessian: Callable[[Array], Array],
    at_end: bool = False,
) -> tuple[Array, Array]:
    """Return the minimum of U, by Newton steps that are halved until U falls, and the Hessian near it.

    A Hessian serves for further steps while they bring the decrement down a hundredfold, which says that it
    is right to about a tenth.

    Parameters
    ----------
    w : array, shape (d,)
        Where to begin.
    value_grad : callable(w) -> (float, array)
    hessian : callable(w) -> array, shape (d, d)
    at_end : bool, default False
        Whether the Hessian is that at the minimum itself, which may be singular where one nearby is not.
    """
    value, grad = value_grad(w)
    H, factor, before, place = hessian(w), None, math.inf, w
    for _ in range(_NEWTON):
        try:
            factor = cho_factor(H, lower=True) if factor is None else factor
            step = cho_solve(factor, grad)
        except (LinAlgError, ValueError):
            return w, H
        decrement = float(step @ grad)
        if decrement > _FALLEN * before:
            H, factor, before, place = hessian(w), None, math.inf, w
            continue
        if not decrement > _CLOSE:
            break
        size = 1.0
        while size > 1e-6:
            there = w - size * step
            new, new_grad = value_grad(there)
            if new <= value - 1e-4 * size * decrement:
                break
            size *= 0.5
        else:
            break
        w, value, grad, before = there, new, new_grad, decrement
    return w, hessian(w) if at_end and place is not w else H


def proximal_mode(
    w: Array,
    value_grad: Callable[[Array], tuple[float, Array]],
    prox: Callable[[Array, float], Array],
    t: float,
) -> Array:
    """Return a point near the mode by accelerated proximal gradient steps.

    Parameters
    ----------
    w : array, shape (d,)
        Where to begin.
    value_grad : callable(w) -> (float, array)
        U, and the gradient of its smooth part.
    prox : callable(w, t) -> array
        Proximal map of t times the penalty.
    t : float
        One over the largest curvature of the smooth part, about.
    """
    before = v = w
    least, since = math.inf, 0
    for _ in range(_PROXIMAL):
        value, grad = value_grad(v)
        if value <= least:
            w, least = v, value
            new = prox(v - t * grad, t)
            v, before, since = new + since / (since + 3.0) * (new - before), new, since + 1
        else:
            # The momentum went too far, or, where there was none, the step.
            t = t if since > 1 else 0.25 * t
            v, before, since = w, w, 0
    return w


def laplace_shape(w: Array, H: Array, count: int, l1: float) -> Guess:
    """Return w with the shape of the Hessian H and of the Laplace priors of the first `count` parameters.

    With density proportional to ``exp(-l1 |w|)`` the variance is ``2 / l1^2``.
    """
    H = H.copy()
    H[np.arange(count), np.arange(count)] += 0.5 * l1**2
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


def step_within(H: Array) -> float:
    """Return one over the largest eigenvalue of a Hessian, or over its trace where that is large to compute.

    As Durmus, Moulines and Pereyra advise for proximal maps (SIAM Journal on Imaging Sciences 11, 2018).
    """
    if not np.isfinite(H).all():
        return 1.0
    largest = float(np.linalg.eigvalsh(H)[-1]) if len(H) <= DENSE else float(np.trace(H))
    return 1.0 / largest if largest > 0.0 else 1.0
