"""Ordinary least squares with an intercept."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.objectives.base import Fit, half_squared, scores


class OLS:
    """Least squares with an intercept and no penalty: ``mean (x.w + b - y)^2 / 2``."""

    name = "ols"

    def strength(self, X: Any, y: Any) -> float:
        """Return 0, because there is no penalty."""
        return 0.0

    def value(self, X: Any, y: Any, strength: float, result: Fit) -> float:
        """Return the objective F at what a solver returned."""
        return half_squared(y, scores(X, result))

    def null(self, X: Any, y: Any) -> float:
        """Return half the variance of y, the objective of the mean alone."""
        return float(np.var(y)) / 2.0

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """Singular value decomposition of ``[X 1]`` (LAPACK gelsd)."""
        w = np.linalg.lstsq(np.column_stack([X, np.ones(len(y))]), y, rcond=None)[0]
        return Fit(w[:-1], w[-1])
