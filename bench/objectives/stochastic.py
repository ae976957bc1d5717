"""Logistic regression by five epochs of stochastic gradients, and the way to a rough optimum.

Both rows have an intercept and the strength that is the default of scikit-learn's SGDClassifier.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from bench.objectives.base import Fit, logistic, scores

ALPHA = 1e-4


class _Stochastic:
    """Logistic regression with an intercept: ``mean log(1 + exp(-y (x.w + b))) + alpha ||w||^2 / 2``."""

    def strength(self, X: Any, y: Any) -> float:
        """Return the strength that scikit-learn's SGDClassifier has by default."""
        return ALPHA

    def value(self, X: Any, y: Any, strength: float, result: Fit) -> float:
        """Return the objective F at what a solver returned."""
        return logistic(y, scores(X, result)) + strength * float(result.coef @ result.coef) / 2.0

    def null(self, X: Any, y: Any) -> float:
        """Return the loss of the best constant score."""
        share = float(np.mean(np.asarray(y) > 0))
        return -share * float(np.log(share)) - (1.0 - share) * float(np.log1p(-share))

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """scikit-learn's Newton method far beyond its default tolerance."""
        model = LogisticRegression(
            C=1.0 / (strength * len(y)), solver="newton-cholesky", tol=1e-10, max_iter=1000
        ).fit(X, y)
        return Fit(model.coef_[0], float(model.intercept_[0]))


class FiveEpochs(_Stochastic):
    """Five epochs of stochastic gradients, whatever accuracy they reach."""

    name = "sgd_logistic"
    accuracy = 1.0


class RoughOptimum(_Stochastic):
    """Within 1e-3 of the optimum, times the objective of the null model."""

    name = "rough_logistic"
    accuracy = 1e-3


class Defaults(_Stochastic):
    """Stochastic gradients at the defaults of each library, whatever accuracy they reach."""

    name = "sgd_defaults"
    accuracy = 1.0


OBJECTIVES = (FiveEpochs(), RoughOptimum(), Defaults())
