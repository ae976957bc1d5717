"""Multinomial logistic regression with intercepts and an L2 penalty of 1/n."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression

from bench.objectives.base import Fit, scores


class Softmax:
    """``mean (logsumexp(z) - z_y) + alpha ||W||^2 / 2``; coefficients have shape (p, k).

    Two classes have one column, the score of the second class.
    """

    name = "softmax"

    def strength(self, X: Any, y: Any) -> float:
        """Return the strength of scikit-learn's ``C=1``, which is 1/n here."""
        return 1.0 / len(y)

    def value(self, X: Any, y: Any, strength: float, result: Fit) -> float:
        """Return the objective F at what a solver returned."""
        z = scores(X, result)
        if z.shape[1] == 1:
            z = np.column_stack([np.zeros(len(z)), z])
        loss = float((logsumexp(z, axis=1) - z[np.arange(len(y)), y]).mean())
        return loss + strength * float((result.coef**2).sum()) / 2.0

    def null(self, X: Any, y: Any) -> float:
        """The entropy of the class shares."""
        share = np.bincount(y) / len(y)
        share = share[share > 0.0]
        return float(-(share @ np.log(share)))

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """scikit-learn's L-BFGS far beyond its default tolerance."""
        model = LogisticRegression(C=1.0 / (strength * len(y)), tol=1e-8, max_iter=5000).fit(X, y)
        return Fit(model.coef_.T, model.intercept_)
