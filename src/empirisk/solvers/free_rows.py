"""Conjugate gradients on the dual values that are free, once coordinate ascent has told which they are.

With the others fixed the dual is a quadratic in them: what takes coordinate ascent as many epochs as the
condition number of its matrix takes conjugate gradients its square root.  The result is clipped to the
intervals, and kept when the dual objective rises.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.losses.dual_rows import DualRows
from empirisk.typing import Array

__all__ = ["ascend_free_rows"]

# Conjugate gradients end when ENOUGH of the residual is gone: the point is only a better guess, which the
# certificate judges.
ITERATIONS = 40
ENOUGH = 0.1  # of the residual


def ascend_free_rows(
    X: Any,
    share: Array,
    dual: DualRows,
    square: Array,
    l2: float,
    pull: float,
    own: Array,
    w: Array,
    b: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int] | None:
    """Dual values and w after the step, and the iterations that it took; None when nothing rises.

    Parameters
    ----------
    X : array or CSR matrix, shape (n, p)
        Rows.
    share, square : arrays, shape (n,)
        Weights, and squared norms of the rows.
    dual : DualRows
        Conjugates; none for the logistic loss.
    l2, pull : float
        Strengths of the penalty and of the intercept's pull (0: no intercept).
    own, w, b
        Dual values, and the parameters that belong to them.
    """
    free = np.flatnonzero(dual.inner(own) & np.asarray(share > 0.0))
    if dual.logistic or len(free) == 0:
        return None
    A, s, t, rows = X[free], share[free], own[free], dual.take(free)
    freedom = 1.0 / pull if pull > 0.0 else 0.0

    def product(change: Array) -> Array:
        weighted = (s * change).astype(A.dtype, copy=False)
        along = A @ (A.T @ weighted) / l2 + freedom * float(s @ change)
        return np.asarray(rows.curvature * change + along, dtype=np.float64)

    left = rows.center - rows.tube * np.sign(t) - rows.curvature * t - (A @ w.astype(A.dtype, copy=False) + b)
    diagonal = rows.curvature + s * (square[free] / l2 + freedom)
    change, iterations = _conjugate_gradients(product, left, s, diagonal)
    low = np.where((t > 0.0) & (rows.tube > 0.0), 0.0, rows.low)
    high = np.where((t < 0.0) & (rows.tube > 0.0), 0.0, rows.high)
    for length in (1.0, 0.5, 0.25):
        new = np.clip(t + length * change, low, high)
        d = new - t
        v = np.asarray(A.T @ (s * d).astype(A.dtype, copy=False), dtype=np.float64)
        tie = float(s @ d)
        rise = float(s @ (d * (rows.center - rows.tube * np.sign(t) - 0.5 * rows.curvature * (new + t))))
        rise -= float(v @ (w + v / (2.0 * l2))) + tie * (b + 0.5 * freedom * tie)
        if rise > 0.0:
            moved = own.copy()
            moved[free] = new
            return moved.astype(np.float64), (w + v / l2).astype(np.float64), iterations
    return None


def _conjugate_gradients(product: Any, left: Array, s: Array, diagonal: Array) -> tuple[Array, int]:
    """Solve in the inner product of the weights s, where the matrix is symmetric, scaled by its diagonal."""
    x = np.zeros_like(left)
    r = np.asarray(left, dtype=np.float64)
    y = r / np.maximum(diagonal, 1e-300)
    p, size = y, float(s @ (r * y))
    goal = ENOUGH**2 * size
    for k in range(ITERATIONS):
        if not size > goal:
            return x, k
        q = product(p)
        bend = float(s @ (p * q))
        if not bend > 0.0:
            return x, k
        step = size / bend
        x, r = x + step * p, r - step * q
        y = r / np.maximum(diagonal, 1e-300)
        before, size = size, float(s @ (r * y))
        p = y + (size / before) * p
    return x, ITERATIONS
