"""Five-fold cross-validation of support vector machines over five prices and five widths: which pair is best.

A result is a price C and a width gamma.  Every machine has the loss of the same rows and folds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import KFold
from sklearn.svm import SVC

from bench.objectives.kernel_machine import width

FOLDS = KFold(5)


class MachineGrid:
    """The cross-validated rate of errors of every pair, computed once for a data set by LIBSVM."""

    name = "grid_svc"

    def __init__(self) -> None:
        self._kept: tuple[Any, np.ndarray] | None = None

    def strength(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the prices and the widths."""
        return np.logspace(-1.0, 2.0, 5), width(X) * np.logspace(-1.0, 1.0, 5)

    def value(self, X: Any, y: Any, strength: Any, result: tuple[float, float]) -> float:
        """Return the cross-validated rate of errors at the pair that a solver chose."""
        at = tuple(int(np.argmin(np.abs(np.log(g / r)))) for g, r in zip(strength, result, strict=True))
        return float(self._rates(X, y, strength)[at])

    def null(self, X: Any, y: Any) -> float:
        """Return the rate of errors of the more frequent class."""
        return float(min(np.mean(y > 0), np.mean(y <= 0)))

    def reference(self, X: Any, y: Any, strength: Any) -> tuple[float, float]:
        """Return the best pair by LIBSVM beyond its default tolerance."""
        i, j = np.unravel_index(int(np.argmin(self._rates(X, y, strength))), (5, 5))
        return float(strength[0][i]), float(strength[1][j])

    def _rates(self, X: Any, y: Any, strength: Any) -> np.ndarray:
        if self._kept is None or self._kept[0] is not X:
            out = np.zeros((5, 5))
            for train, test in FOLDS.split(X):
                for i, price in enumerate(strength[0]):
                    for j, gamma in enumerate(strength[1]):
                        model = SVC(C=price, gamma=gamma, tol=1e-5).fit(X[train], y[train])
                        out[i, j] += np.sum(model.predict(X[test]) != y[test])
            self._kept = (X, out / len(y))
        return self._kept[1]
