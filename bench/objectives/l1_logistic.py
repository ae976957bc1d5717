"""Logistic regression with an L1 penalty at a twentieth of the critical strength, without intercept."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from bench.objectives.base import Fit, logistic, scores
from bench.objectives.logistic import Logistic


class L1Logistic(Logistic):
    """Logistic regression with an L1 penalty: ``mean log(1 + exp(-y x.w)) + alpha ||w||_1``."""

    name = "l1_logistic"

    def strength(self, X: Any, y: Any) -> float:
        """A twentieth of the smallest strength at which every coefficient is zero."""
        return float(np.abs(X.T @ (y - 0.5)).max()) / len(y) / 20.0

    def value(self, X: Any, y: Any, strength: float, result: Fit) -> float:
        """Return the objective F at what a solver returned."""
        return logistic(y, scores(X, result)) + strength * float(np.abs(result.coef).sum())

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """liblinear (in scikit-learn) far beyond its default tolerance."""
        model = LogisticRegression(
            C=1.0 / (strength * len(y)),
            l1_ratio=1.0,
            fit_intercept=False,
            solver="liblinear",
            tol=1e-9,
            max_iter=10_000,
        ).fit(X, y)
        return Fit(model.coef_[0])
