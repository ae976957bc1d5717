"""Logistic regression with an L2 penalty of 1/n, without intercept (liblinear would penalise it)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from bench.objectives.base import Fit, logistic, scores


class Logistic:
    """Logistic regression with a squared penalty: ``mean log(1 + exp(-y x.w)) + alpha ||w||^2 / 2``."""

    name = "logistic"

    def strength(self, X: Any, y: Any) -> float:
        """Return the strength of scikit-learn's ``C=1``, which is 1/n here."""
        return 1.0 / len(y)

    def value(self, X: Any, y: Any, strength: float, result: Fit) -> float:
        """Return the objective F at what a solver returned."""
        return logistic(y, scores(X, result)) + strength * float(result.coef @ result.coef) / 2.0

    def null(self, X: Any, y: Any) -> float:
        """Return the objective where all scores are 0."""
        return float(np.log(2.0))

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """scikit-learn's Newton methods far beyond their default tolerance."""
        newton = "newton-cholesky" if X.shape[1] <= 2000 else "newton-cg"
        model = LogisticRegression(
            C=1.0 / (strength * len(y)), fit_intercept=False, solver=newton, tol=1e-10, max_iter=1000
        ).fit(X, y)
        return Fit(model.coef_[0])
