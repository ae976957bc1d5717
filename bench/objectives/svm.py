"""Linear support vector machines with an L2 penalty, without intercept (LIBLINEAR would penalise it)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize

from bench.objectives.base import Fit, scores


class Hinge:
    """The support vector machine ``mean max(0, 1 - y x.w) + alpha ||w||^2 / 2`` at scikit-learn's ``C=1``."""

    name = "svm_hinge"

    def strength(self, X: Any, y: Any) -> float:
        """Return ``1 / (n C)``, the strength on the scale of the mean loss."""
        return 1.0 / len(y)

    def row_losses(self, t: np.ndarray) -> np.ndarray:
        """Return the hinge loss of each margin t."""
        return np.maximum(1.0 - t, 0.0)

    def value(self, X: Any, y: Any, strength: float, result: Fit) -> float:
        """Return the objective F at what a solver returned."""
        t = np.where(y > 0, 1.0, -1.0) * scores(X, result)
        return float(self.row_losses(t).mean()) + strength * float(result.coef @ result.coef) / 2.0

    def null(self, X: Any, y: Any) -> float:
        """Return the objective where all scores are 0."""
        return 1.0

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """L-BFGS on smoothed hinges, each a tenth as wide as the one before; F differs by half the width."""
        signs, w = np.where(y > 0, 1.0, -1.0), np.zeros(X.shape[1])
        for width in 10.0 ** -np.arange(1.0, 8.0):

            def smooth(w: np.ndarray, width: float = width) -> tuple[float, np.ndarray]:
                short = 1.0 - signs * (X @ w)
                slope = np.clip(short / width, 0.0, 1.0)
                value = np.where(short < width, slope * short / 2.0, short - width / 2.0).mean()
                grad = X.T @ (-signs * slope) / len(y) + strength * w
                return float(value) + strength * float(w @ w) / 2.0, grad

            limits = {"maxiter": 500, "maxfun": 600, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 30}
            w = minimize(smooth, w, jac=True, method="L-BFGS-B", options=limits).x
        return Fit(w)


class SquaredHinge(Hinge):
    """The support vector machine ``mean max(0, 1 - y x.w)^2 / 2 + alpha ||w||^2 / 2`` at LIBLINEAR's
    ``C=1``.
    """

    name = "svm_squared_hinge"

    def strength(self, X: Any, y: Any) -> float:
        """Return ``1 / (2 n C)``, the strength on the scale of the mean loss."""
        return 0.5 / len(y)

    def row_losses(self, t: np.ndarray) -> np.ndarray:
        """Return half the squared hinge loss of each margin t."""
        return 0.5 * np.maximum(1.0 - t, 0.0) ** 2

    def null(self, X: Any, y: Any) -> float:
        """Return the objective where all scores are 0."""
        return 0.5

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """L-BFGS far beyond its default tolerance."""
        signs = np.where(y > 0, 1.0, -1.0)

        def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
            short = np.maximum(1.0 - signs * (X @ w), 0.0)
            value = 0.5 * float(short @ short) / len(y) + strength * float(w @ w) / 2.0
            return value, X.T @ (-signs * short) / len(y) + strength * w

        limits = {"maxiter": 2000, "maxfun": 2500, "ftol": 1e-15, "gtol": 1e-11, "maxcor": 30}
        start = np.zeros(X.shape[1])
        return Fit(minimize(objective, start, jac=True, method="L-BFGS-B", options=limits).x)
