"""Five-fold cross-validation over 30 strengths: which strength is best. A result is a strength."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.model_selection import KFold

FOLDS = KFold(5)


class _Grid:
    """What the three share: the cross-validated loss of every strength, computed once for a data set."""

    name: str
    decades: tuple[float, float]

    def __init__(self) -> None:
        self._kept: tuple[Any, np.ndarray] | None = None

    def strength(self, X: Any, y: Any) -> np.ndarray:
        """Return thirty strengths, the largest first."""
        return np.logspace(*self.decades, 30)

    def value(self, X: Any, y: Any, strength: np.ndarray, result: float) -> float:
        """Cross-validated loss at the strength that a solver chose."""
        return float(self._losses(X, y, strength)[np.argmin(np.abs(np.log(strength / result)))])

    def null(self, X: Any, y: Any) -> float:
        """Return the loss of the model without columns."""
        return float(np.mean(self._loss(y, self._constant(y))))

    def reference(self, X: Any, y: Any, strength: np.ndarray) -> float:
        """The best strength by tight fits of each by itself."""
        return float(strength[np.argmin(self._losses(X, y, strength))])

    def _losses(self, X: Any, y: Any, strength: np.ndarray) -> np.ndarray:
        if self._kept is None or self._kept[0] is not X:
            total = np.zeros(len(strength))
            for train, test in FOLDS.split(X):
                z = self._scores(X[train], y[train], X[test], strength)
                total += np.array([self._loss(y[test], column).sum() for column in z])
            self._kept = (X, total / len(y))
        return self._kept[1]

    def _scores(self, X: Any, y: Any, X_new: Any, strength: np.ndarray) -> list[np.ndarray]:
        raise NotImplementedError

    def _loss(self, y: Any, z: Any) -> np.ndarray:
        return np.asarray((y - z) ** 2 / 2.0)

    def _constant(self, y: Any) -> float:
        return float(np.mean(y))


class RidgeGrid(_Grid):
    """A grid of ridge regressions, judged by the exact solution from singular values."""

    name = "grid_ridge"
    decades = (2.0, -5.0)

    def _scores(self, X: Any, y: Any, X_new: Any, strength: np.ndarray) -> list[np.ndarray]:
        mean, middle = X.mean(axis=0), y.mean()
        U, d, V = np.linalg.svd(X - mean, full_matrices=False)
        c = U.T @ (y - middle)
        Z = (X_new - mean) @ V.T
        return [middle + Z @ (d * c / (d**2 + len(y) * a)) for a in strength]


class LassoGrid(_Grid):
    """Lasso, by coordinate descent to the last digits."""

    name = "grid_lasso"
    decades = (0.0, -3.0)

    def _scores(self, X: Any, y: Any, X_new: Any, strength: np.ndarray) -> list[np.ndarray]:
        made = (Lasso(alpha=a, tol=1e-10, max_iter=100_000).fit(X, y) for a in strength)
        return [model.predict(X_new) for model in made]


class LogisticGrid(_Grid):
    """Logistic regression with an L2 penalty, by Newton's method to the last digits."""

    name = "grid_logistic"
    decades = (0.0, -5.0)

    def _scores(self, X: Any, y: Any, X_new: Any, strength: np.ndarray) -> list[np.ndarray]:
        made = (
            LogisticRegression(C=1.0 / (len(y) * a), solver="newton-cholesky", tol=1e-10).fit(X, y)
            for a in strength
        )
        return [model.decision_function(X_new) for model in made]

    def _loss(self, y: Any, z: Any) -> np.ndarray:
        return np.logaddexp(0.0, np.where(y > 0, -1.0, 1.0) * z)

    def _constant(self, y: Any) -> float:
        return float(np.log(np.mean(y > 0) / np.mean(y <= 0)))


OBJECTIVES = (RidgeGrid(), LassoGrid(), LogisticGrid())
