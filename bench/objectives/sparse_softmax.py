"""Multinomial logistic regression with intercepts and an L1 part, at a twentieth of the critical strength."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from bench.objectives.base import Fit
from bench.objectives.softmax import Softmax


class SparseSoftmax(Softmax):
    """``mean (logsumexp(z) - z_y) + alpha (r ||W||_1 + (1-r) ||W||^2 / 2)``; coefficients of shape (p, k)."""

    def __init__(self, name: str, l1_ratio: float) -> None:
        self.name, self.l1_ratio = name, l1_ratio

    def strength(self, X: Any, y: Any) -> float:
        """A twentieth of the smallest strength of an L1 penalty at which every coefficient is zero."""
        member = np.eye(int(y.max()) + 1)[y]
        return float(np.abs(X.T @ (member - member.mean(axis=0))).max()) / len(y) / 20.0

    def value(self, X: Any, y: Any, strength: float, result: Fit) -> float:
        """Return the objective F at what a solver returned."""
        r = self.l1_ratio
        absolute = float(np.abs(result.coef).sum())
        return super().value(X, y, strength * (1.0 - r), result) + strength * r * absolute

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """SAGA (in scikit-learn) beyond its default tolerance."""
        model = LogisticRegression(
            C=1.0 / (strength * len(y)), l1_ratio=self.l1_ratio, solver="saga", tol=1e-6, max_iter=2000,
            random_state=0,
        ).fit(X, y)  # fmt: skip
        return Fit(model.coef_.T, model.intercept_)


OBJECTIVES = (SparseSoftmax("l1_softmax", 1.0), SparseSoftmax("elastic_net_softmax", 0.5))
