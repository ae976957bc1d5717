"""Lasso with an intercept at a twentieth of the critical strength."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.objectives.base import Fit, half_squared, scores
from bench.objectives.ols import OLS


class Lasso(OLS):
    """The lasso with an intercept: ``mean (x.w + b - y)^2 / 2 + alpha ||w||_1``."""

    name = "lasso"

    def strength(self, X: Any, y: Any) -> float:
        """A twentieth of the smallest strength at which every coefficient is zero."""
        return float(np.abs(X.T @ (y - y.mean())).max()) / len(y) / 20.0

    def value(self, X: Any, y: Any, strength: float, result: Fit) -> float:
        """Return the objective F at what a solver returned."""
        return half_squared(y, scores(X, result)) + strength * float(np.abs(result.coef).sum())

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """celer far beyond its default tolerance."""
        from celer import Lasso as Peer

        model = Peer(alpha=strength, tol=1e-12, max_iter=100, max_epochs=50_000).fit(X, y)
        return Fit(model.coef_, model.intercept_)
