"""Leading eigenpairs one after the other: power iteration, and deflation of what was found."""

from __future__ import annotations

import numpy as np

from empirisk.reduction.centred import CentredRows
from empirisk.reduction.spectrum import Spectrum, signed
from empirisk.typing import Array

__all__ = ["by_power"]


def by_power(data: CentredRows, k: int, tol: float, max_iter: int, rng: np.random.Generator) -> Spectrum:
    """Return eigenpairs by ``v <- C v / ||C v||``, each on the complement of those found.

    Parameters
    ----------
    data : CentredRows
    k : int
    tol : float > 0
        A direction is done when ``||C v - l v|| <= tol l_1``.
    max_iter : int
        Products with the covariance for each direction.
    rng : Generator
        Draws the starts.

    Notes
    -----
    The error falls by ``l_(j+1)/l_j`` a step, so that close eigenvalues take long: it is for teaching, not
    for work.  Deflation projects onto the complement of what was found, ``(I - V V') C``.  A step is a pass.
    """
    n, p = data.shape
    axes: Array = np.zeros((0, p))
    values: Array = np.zeros(0)
    steps = 0
    level = np.finfo(float).eps * max(n, p)
    for _ in range(min(k, n, p)):
        v, value, used = _one(data, axes, tol, max_iter, rng, values[0] if len(values) else 0.0)
        steps += used
        if value <= level * max(value, *values, 0.0) or value <= 0.0:
            break
        axes, values = np.vstack([axes, v]), np.append(values, value)
    order = np.argsort(-values, kind="stable")
    axes, values = signed(axes[order]), values[order]
    image = data.apply(axes.T) if len(values) else np.zeros((p, 0))
    residual = float(np.linalg.norm(image - axes.T * values))
    ahead = max(0.0, data.total - float(values.sum()))
    floor = data.total * data.rounding
    proved = len(values) > 0 and ahead + floor < values[-1]
    missed = "none is larger, by the trace" if proved else "that none larger was missed is not proved"
    route = f"power iteration and deflation, {steps} products with the covariance"
    return Spectrum(values, axes, ahead, residual, floor, route, None, missed, max(1, steps))


def _one(
    data: CentredRows, axes: Array, tol: float, max_iter: int, rng: np.random.Generator, first: float
) -> tuple[Array, float, int]:
    """Return the next direction, its variance, and how many products it took."""
    v = _outside(rng.standard_normal(data.shape[1]), axes)
    v /= float(np.linalg.norm(v))
    value = 0.0
    for step in range(1, max_iter + 1):
        w = _outside(data.apply(v), axes)
        value = float(v @ w)
        if float(np.linalg.norm(w - value * v)) <= tol * max(first, value):
            return v, value, step
        v = w / float(np.linalg.norm(w))
    return v, value, max_iter


def _outside(v: Array, axes: Array) -> Array:
    """Return the part of a vector that is orthogonal to the directions, projected twice for its rounding."""
    for _ in range(2):
        v = v - axes.T @ (axes @ v)
    return v
