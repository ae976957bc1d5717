"""The Newton direction of a Hessian that may be singular."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, lapack

from empirisk.typing import Array

__all__ = ["newton_direction"]


def newton_direction(H: Array, g: Array) -> Array:
    """``-H^-1 g``, or the step of smallest norm when H is singular to rounding (collinear columns)."""
    flat = g.T.reshape(-1) if g.ndim == 2 else g
    step = _solve(H, flat)
    if g.ndim == 1:
        return -step
    # Equal shifts of all scores change nothing: stay in the subspace where they are absent.
    step = step.reshape(g.shape[::-1]).T
    return np.asarray(step.mean(axis=1, keepdims=True) - step)


def _solve(H: Array, g: Array) -> Array:
    # H is symmetric: its transpose is the order that LAPACK reads.
    factor, info = lapack.dpotrf(H.T, lower=1, clean=0)
    if info == 0:
        pivots = factor.diagonal()
        # Such a ratio means a condition of 1e12 or more, where Cholesky leaves four digits or fewer.
        if pivots.min() > 1e-6 * pivots.max():
            return np.asarray(lapack.dpotrs(factor, g, lower=1)[0])
    values, V = eigh(H, check_finite=False)
    kept = values > 1e-12 * max(float(values[-1]), 1e-300)
    return np.asarray(V[:, kept] @ ((V[:, kept].T @ g) / values[kept]))
