"""Ridge regression with a Gaussian kernel and no intercept, at ``alpha = 0.01``.

The timed call fits, and predicts all rows.  What a solver returns are the weights of the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from bench.objectives.kernel_machine import Machine, kernel_sums, width


class KernelRidgeRegression:
    """Minimise ``mean (f(x) - y)^2 / 2 + alpha ||f||^2 / 2`` over functions of the kernel."""

    name = "kernel_ridge"

    def strength(self, X: Any, y: Any) -> float:
        """Return the strength on the scale of the mean loss."""
        return 0.01

    def value(self, X: Any, y: Any, strength: float, result: np.ndarray) -> float:
        """Return the objective F at the weights that a solver returned."""
        f = kernel_sums(X, Machine(np.arange(len(X)), result, 0.0))
        return float(np.mean((f - y) ** 2) / 2.0 + 0.5 * strength * (result @ f))

    def null(self, X: Any, y: Any) -> float:
        """Return the objective of the function 0."""
        return float(np.mean(y**2) / 2.0)

    def reference(self, X: Any, y: Any, strength: float) -> np.ndarray:
        """Return the weights by a factor of the whole matrix."""
        norms = np.einsum("ij,ij->i", X, X)
        K = X @ X.T
        K *= 2.0
        K -= norms
        K -= norms[:, None]
        np.minimum(K, 0.0, out=K)
        K *= width(X)
        np.exp(K, out=K)
        K[np.diag_indices_from(K)] += strength * len(y)
        return np.asarray(cho_solve(cho_factor(K, overwrite_a=True, check_finite=False), y))
