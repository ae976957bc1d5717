"""The best constant to add to given scores, by a safeguarded Newton iteration."""

from __future__ import annotations

import math

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.losses.base import Loss
from empirisk.typing import Array

__all__ = ["best_intercept", "intercept_step"]


def best_intercept(loss: Loss, y: Array, s: Array, z: Array, start: Array | None = None) -> Array:
    """``argmin_b sum_i s_i loss(y_i, z_i + b)``, shape () or (k,).

    Parameters
    ----------
    loss : Loss
        A smooth convex loss.
    y, s : arrays, shape (n,)
        Targets and weights.
    z : array, shape (n,) or (n, k)
        Scores without the intercept.
    start : array, optional
        Where to start; the constant-score optimum is exact when all z are equal.

    Notes
    -----
    O(n) per iteration, usually 3 to 6 of them.  With one class the minimiser is at infinity: the
    iteration stops where the derivative is below rounding, a finite number.
    """
    if loss.quadratic:
        return np.asarray(weighted_sum(s, y - z) / s.sum())
    if start is None and not np.any(z):
        constant = loss.best_constant(y, s)
        if np.isfinite(constant).all():
            return constant
    b = np.zeros(z.shape[1:]) if start is None else np.array(start, dtype=np.float64)
    total = s.sum()
    if loss.vector:
        return _newton_vector(loss, y, s, z, b, float(total))
    return _newton_scalar(loss, y, s, z, float(b), float(total))


def intercept_step(loss: Loss, y: Array, s: Array, z: Array) -> Array:
    """Return Newton's step to :func:`best_intercept` from these scores of a vector loss, shape (k,).

    Near the optimum it leaves the square of what was off, at the price of one more look at the scores.
    """
    total = s.sum()
    return _vector_step(loss.mean(z), weighted_sum(s, loss.grad(y, z)) / total, s, float(total))


def _newton_scalar(loss: Loss, y: Array, s: Array, z: Array, b: float, total: float) -> Array:
    low, high, longest = -np.inf, np.inf, 10.0
    for _ in range(200):
        slope = float(weighted_sum(s, loss.grad(y, z + b))) / total
        if slope == 0.0:
            break
        if slope > 0.0:
            high = b
        else:
            low = b
        curvature = float(weighted_sum(s, loss.hess(y, z + b))) / total
        step = -slope / curvature if curvature > 0.0 else -math.copysign(math.inf, slope)
        if not abs(step) <= longest:  # doubled each time: no distance is too far
            step, longest = float(np.clip(step, -longest, longest)), 2.0 * longest
        proposal = b + step
        if not low < proposal < high:
            proposal = 0.5 * (low + high) if np.isfinite(low + high) else b
        if proposal == b or abs(slope) <= 1e-17:
            break
        moved, b = abs(proposal - b), proposal
        # Two units in the last place: b cannot come closer.
        if moved <= 4e-16 * max(abs(b), 1.0):
            break
    return np.asarray(b)


def _newton_vector(loss: Loss, y: Array, s: Array, z: Array, b: Array, total: float) -> Array:
    value = float(weighted_sum(s, loss.value(y, z + b))) / total
    for _ in range(60):
        q = loss.mean(z + b)
        slope = weighted_sum(s, loss.grad(y, z + b)) / total
        if float(np.abs(slope).max()) <= 1e-16:
            break
        step = _vector_step(q, slope, s, total)
        for _halving in range(30):
            trial = float(weighted_sum(s, loss.value(y, z + b + step))) / total
            if trial <= value:
                break
            step *= 0.5
        else:
            break
        b = b + step
        value = trial
        if float(np.abs(step).max()) <= 4e-16 * max(float(np.abs(b).max()), 1.0):
            break
    return b


def _vector_step(q: Array, slope: Array, s: Array, total: float) -> Array:
    """Return Newton's step in the intercepts of k classes, from probabilities and the mean slopes."""
    k = len(slope)
    hessian = (np.diag(weighted_sum(s, q)) - (q.T * s) @ q) / total
    # The direction of equal shifts is flat: a constant added there leaves the step's other part alone.
    step = -np.linalg.lstsq(hessian + np.full((k, k), 1.0 / k), slope, rcond=None)[0]
    # Ten units of the score saturate the softmax: the quadratic model says nothing about longer steps.
    return np.asarray(step * min(1.0, 10.0 / max(float(np.abs(step).max()), 1e-300)))
