"""Regression of a quantile without a penalty, and Huber's with the scale of the noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq, linprog

from bench.objectives.base import Fit, scores


class QuantileRegression:
    """``mean max(q r, (q - 1) r)``, ``r = y - x.w - b``; the strength is the level q."""

    name = "quantile"

    def strength(self, X: Any, y: Any) -> float:
        """Return the level of the quantile, which stands in for a strength."""
        return 0.7

    def value(self, X: Any, y: Any, strength: float, result: Fit) -> float:
        """Return the objective F at what a solver returned."""
        r = y - scores(X, result)
        return float(np.mean(np.maximum(strength * r, (strength - 1.0) * r)))

    def null(self, X: Any, y: Any) -> float:
        """Return the objective of the quantile of y alone, without columns."""
        q = self.strength(X, y)
        return self.value(X, y, q, Fit(np.zeros(X.shape[1]), np.quantile(y, q)))

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """HiGHS on the dual programme: ``max y.u``, ``(X, 1)' u = 0``, ``q - 1 <= u <= q``."""
        equal = np.column_stack([X, np.ones(len(y))]).T
        found = linprog(-y, A_eq=equal, b_eq=np.zeros(len(equal)), bounds=(strength - 1.0, strength))
        w = -found.eqlin.marginals
        return Fit(w[:-1], w[-1])


class HuberRegression:
    """Huber regression: ``min_s mean(huber_{1.35 s}(r)/s + s/2) + alpha ||w||^2 / 2``, scikit-learn's
    objective over 2 n.
    """

    name = "huber"
    delta = 1.35

    def strength(self, X: Any, y: Any) -> float:
        """Return 1/n, the strength of the penalty on the scale of the mean loss."""
        return 1.0 / len(y)

    def scale(self, r: np.ndarray) -> float:
        """Return the scale s that minimises the objective for these residuals."""
        top = np.sqrt(np.mean(r**2))
        return float(
            brentq(lambda s: np.mean(np.minimum((r / s) ** 2, self.delta**2)) - 1.0, 1e-3 * top, 2.0 * top)
        )

    def value(self, X: Any, y: Any, strength: float, result: Fit) -> float:
        """Return the objective F at what a solver returned."""
        r = np.abs(y - scores(X, result))
        s = self.scale(r)
        d = self.delta * s
        losses = np.where(r <= d, r**2 / 2.0, d * r - d**2 / 2.0) / s + s / 2.0
        return float(np.mean(losses)) + strength * float(result.coef @ result.coef) / 2.0

    def null(self, X: Any, y: Any) -> float:
        """The median alone, next to the best constant."""
        return self.value(X, y, 0.0, Fit(np.zeros(X.shape[1]), np.median(y)))

    def reference(self, X: Any, y: Any, strength: float) -> Fit:
        """Reweighted least squares with the exact scale in between, until nothing moves."""
        A = np.column_stack([X, np.ones(len(y))])
        ridge = np.append(np.full(X.shape[1], strength), 0.0)
        w = np.zeros(A.shape[1])
        for _ in range(300):
            r = y - A @ w
            s = self.scale(r)
            share = np.minimum(1.0, self.delta * s / np.maximum(np.abs(r), 1e-300)) / (s * len(y))
            new = np.linalg.solve((A.T * share) @ A + np.diag(ridge), A.T @ (share * y))
            moved, w = np.abs(new - w).max(), new
            if moved <= 1e-14 * np.abs(w).max():
                break
        return Fit(w[:-1], w[-1])
