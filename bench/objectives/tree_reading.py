"""What fitted trees say about many rows: probabilities of a booster and of a forest, and Shapley values.

Every library fits its own model on the same 10,000 rows beforehand, off the clock.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from bench.datasets.interactions import interactions
from bench.objectives.boosting import log_loss

TREES = 100


def fitted(make: Any, columns: int) -> Any:
    """A model of `make` on 10,000 rows of its own."""
    return make.fit(*interactions(10_000, columns, seed=21))


class PredictBoosting:
    """A hundred trees of at most 31 leaves; the value is the log-loss of the probabilities."""

    name = "predict_boosting"
    accuracy = 0.02

    def strength(self, X: Any, y: Any) -> int:
        """Return the number of trees, which stands in for a strength."""
        return TREES

    def value(self, X: Any, y: Any, strength: int, result: Any) -> float:
        """Log-loss of the probabilities of class 1."""
        return log_loss(y, np.clip(np.asarray(result), 1e-3, 1.0 - 1e-3))

    def null(self, X: Any, y: Any) -> float:
        """Of the shares of the classes."""
        return log_loss(y, np.full(len(y), np.mean(y)))

    def reference(self, X: Any, y: Any, strength: int) -> Any:
        """Return the probabilities of scikit-learn's booster on the same rows."""
        model = HistGradientBoostingClassifier(max_iter=strength, early_stopping=False)
        return fitted(model, X.shape[1]).predict_proba(X)[:, 1]


class PredictForest(PredictBoosting):
    """A hundred trees of full depth."""

    name = "predict_forest"

    def reference(self, X: Any, y: Any, strength: int) -> Any:
        """Return the probabilities of scikit-learn's forest on the same rows."""
        return fitted(RandomForestClassifier(strength, random_state=0), X.shape[1]).predict_proba(X)[:, 1]


class TreeShapley:
    """Shapley values of the booster, path-dependent.  The value is how far they and the base miss the score;
    that they are Shapley values is shown by brute force in the tests."""

    name = "tree_shap"

    def strength(self, X: Any, y: Any) -> int:
        """Return the number of trees, which stands in for a strength."""
        return TREES

    def value(self, X: Any, y: Any, strength: int, result: Any) -> float:
        """Mean distance of the sums from the scores; a result is (sums, scores)."""
        sums, scores = result
        return float(np.mean(np.abs(sums - scores)))

    def null(self, X: Any, y: Any) -> float:
        """Scores are log-odds: their size is about 1."""
        return 1.0

    def reference(self, X: Any, y: Any, strength: int) -> Any:
        """Return the error of values that add up to the score exactly, which is 0."""
        return np.zeros(1), np.zeros(1)


OBJECTIVES = (PredictBoosting(), PredictForest(), TreeShapley())
