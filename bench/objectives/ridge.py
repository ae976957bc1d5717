"""Ridge with an intercept at the strength 1/n."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import solve

from bench.objectives.base import Fit, half_squared, scores
from bench.objectives.ols import OLS


class Ridge(OLS):
    """Ridge regression with an intercept: ``mean (x.w + b - y)^2 / 2 + alpha ||w||^2 / 2``."""

    name = "ridge"

    def strength(self, X: Any, y: Any) -> float:
        """Return the strength of scikit-learn's ``alpha=1``, which is 1/n here."""
        return 1.0 / len(y)

    def value(self, X: Any, y: Any, strength: float, result: Fit) -> float:
        """Return the objective F at what a solver returned."""
        return half_squared(y, scores(X, result)) + strength * float(result.coef @ result.coef) / 2.0

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """Cholesky of the smaller Gram matrix, refined twice with the residual of the normal equations."""
        n, p = X.shape
        mean, top = X.mean(axis=0), y.mean()
        Z, t = X - mean, y - top
        if p <= n:
            A = Z.T @ Z + n * strength * np.eye(p)
            w = np.zeros(p)
            for _ in range(3):
                w += solve(A, Z.T @ (t - Z @ w) - n * strength * w, assume_a="pos")
        else:
            A = Z @ Z.T + n * strength * np.eye(n)
            u = np.zeros(n)
            for _ in range(3):
                u += solve(A, t - Z @ (Z.T @ u) - n * strength * u, assume_a="pos")
            w = Z.T @ u
        return Fit(w, top - mean @ w)
