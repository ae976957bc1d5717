"""A lasso path of 100 strengths, three decades, without intercept (the peers' path functions have none)."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.objectives.base import half_squared

# Where on the path the accuracy is measured.
PROBES = (20, 50, 75, 99)


class LassoPath:
    """``mean (x.w - y)^2 / 2 + alpha ||w||_1`` for each alpha; a result has shape (100, p)."""

    name = "lasso_path"

    def strength(self, X: Any, y: Any) -> np.ndarray:
        """From the critical strength down to a thousandth of it."""
        return float(np.abs(X.T @ y).max()) / len(y) * np.logspace(0.0, -3.0, 100)

    def value(self, X: Any, y: Any, strength: np.ndarray, result: np.ndarray) -> float:
        """Sum of F over the probes: its excess is at least the largest excess."""
        return sum(
            half_squared(y, X @ result[i]) + strength[i] * float(np.abs(result[i]).sum()) for i in PROBES
        )

    def null(self, X: Any, y: Any) -> float:
        """F without coefficients, at one strength."""
        return float(y @ y) / (2.0 * len(y))

    def reference(self, X: Any, y: Any, strength: np.ndarray) -> np.ndarray:
        """celer at the probes, far beyond its default tolerance."""
        from celer import celer_path

        coefs = celer_path(X, y, "lasso", alphas=strength[list(PROBES)], tol=1e-12, max_iter=1000)[1]
        out = np.zeros((len(strength), X.shape[1]))
        out[list(PROBES)] = coefs.T
        return out
