"""Poisson and Gamma regression with a log link, an intercept and an L2 penalty."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import GammaRegressor, PoissonRegressor

from bench.objectives.base import Fit, scores


class _Family:
    """``mean l(y, x.w + b) + alpha ||w||^2 / 2``; `excess` is the loss above that of a perfect fit."""

    name: str
    peer: Any

    def excess(self, y: Any, z: np.ndarray) -> float:
        """Return half the mean deviance: the mean loss above that of a perfect fit."""
        raise NotImplementedError

    def strength(self, X: Any, y: Any) -> float:
        """Return 1/n, the strength of the penalty on the scale of the mean loss."""
        return 1.0 / len(y)

    def value(self, X: Any, y: Any, strength: float, result: Fit) -> float:
        """F, less the loss of a perfect fit."""
        return self.excess(y, scores(X, result)) + strength * float(result.coef @ result.coef) / 2.0

    def null(self, X: Any, y: Any) -> float:
        """Return the excess loss of the model without columns, which predicts the mean."""
        return self.excess(y, np.full(len(y), np.log(np.mean(y))))

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """scikit-learn's Newton method far beyond its default tolerance."""
        model = self.peer(alpha=strength, solver="newton-cholesky", tol=1e-12, max_iter=100).fit(X, y)
        return Fit(model.coef_, model.intercept_)


class Poisson(_Family):
    """Poisson regression of counts, with a squared penalty."""

    name = "poisson"
    peer = PoissonRegressor

    def excess(self, y: Any, z: np.ndarray) -> float:
        """Return the mean of ``exp z - y z - (y - y log y)`` over the rows."""
        perfect = y - y * np.log(np.where(y > 0, y, 1.0))
        return float(np.mean(np.exp(z) - y * z - perfect))


class Gamma(_Family):
    """Gamma regression of positive targets, with a squared penalty."""

    name = "gamma"
    peer = GammaRegressor

    def excess(self, y: Any, z: np.ndarray) -> float:
        """Return the mean of ``y exp(-z) + z - (1 + log y)`` over the rows."""
        return float(np.mean(y * np.exp(-z) + z - 1.0 - np.log(y)))
