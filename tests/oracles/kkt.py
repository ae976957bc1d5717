"""Optimality conditions of L1 and elastic-net problems from their definitions, in plain NumPy float64.

    F(w, b) = (1/S) sum_i s_i loss(y_i, x_i.w + b) + l1 |w|_1 + l2 |w|^2 / 2

w is optimal when minus the gradient of the smooth part lies in l1 times the subdifferential of |w|_1 and the
derivative in b vanishes.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def slope(loss: str, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Derivative of the loss in the score."""
    if loss == "half_squared":
        return z - y
    if loss == "logistic":
        return -y / (1.0 + np.exp(y * z))
    if loss == "poisson":
        return np.exp(z) - y
    e = np.exp(z - z.max(axis=1, keepdims=True))
    q = e / e.sum(axis=1, keepdims=True)
    q[np.arange(len(y)), y.astype(int)] -= 1.0
    return q


def objective(
    loss: str, X: Any, y: np.ndarray, s: np.ndarray, w: np.ndarray, b: Any, l1: float, l2: float
) -> float:
    """Return the objective F from its definition, without code of the package."""
    z = np.asarray(X, dtype=float) @ w + b
    if loss == "half_squared":
        each = 0.5 * (z - y) ** 2
    elif loss == "logistic":
        each = np.logaddexp(0.0, -y * z)
    else:
        each = np.logaddexp.reduce(z, axis=1) - z[np.arange(len(y)), y.astype(int)]
    return float(s @ each / s.sum() + l1 * np.abs(w).sum() + 0.5 * l2 * (w**2).sum())


def violation(
    loss: str,
    X: Any,
    y: np.ndarray,
    s: np.ndarray,
    w: np.ndarray,
    b: Any,
    l1: float,
    l2: float,
    *,
    intercept: bool = True,
    positive: bool = False,
) -> float:
    """The largest distance of any condition from being met (0 at an optimum)."""
    X = np.asarray(X, dtype=float)
    u = (s * slope(loss, y, X @ w + b).T).T / s.sum()
    grad = X.T @ u + l2 * w
    at_zero = np.maximum((-grad if positive else np.abs(grad)) - l1, 0.0)
    elsewhere = np.abs(grad + l1 * np.sign(w))
    worst = float(np.max(np.where(w == 0.0, at_zero, elsewhere), initial=0.0))
    if intercept:
        worst = max(worst, float(np.max(np.abs(u.sum(axis=0)))))
    return worst
