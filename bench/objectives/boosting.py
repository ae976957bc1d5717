"""Boosted trees of at most 31 leaves: a fitted classifier, judged by its log-loss on fresh rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from bench.datasets.adult import CATEGORIES, adult_rows
from bench.datasets.class_interactions import class_interactions
from bench.datasets.interactions import interactions

ROUNDS = 100


def log_loss(y: np.ndarray, p: np.ndarray) -> float:
    """Mean of minus the log of the probability of what happened."""
    return float(-np.mean(np.log(np.where(y > 0, p, 1.0 - p))))


class Boosting:
    """Log-loss on 50,000 fresh rows; counts within 2 % of the null model's above the best: that is how much
    equal algorithms differ on 2000 rows."""

    name = "boosting"
    accuracy = 0.02
    categories: list[int] | None = None

    def strength(self, X: Any, y: Any) -> int:
        """Return the number of rounds, which stands in for a strength."""
        return ROUNDS

    def fresh(self, columns: int) -> tuple[np.ndarray, np.ndarray]:
        """Return rows that no model has been fitted to."""
        return interactions(50_000, columns, seed=9)

    def value(self, X: Any, y: Any, strength: int, result: Any) -> float:
        """Return the log-loss of the model on fresh rows."""
        new, target = self.fresh(X.shape[1])
        return log_loss(target, np.asarray(result.predict_proba(new))[:, 1])

    def null(self, X: Any, y: Any) -> float:
        """Of the shares of the classes."""
        return log_loss(y, np.full(len(y), np.mean(y)))

    def reference(self, X: Any, y: Any, strength: int) -> Any:
        """scikit-learn's, as the peer runs it."""
        model = HistGradientBoostingClassifier(
            max_iter=strength, early_stopping=False, categorical_features=self.categories
        )
        return model.fit(X, y)


class BoostingCategories(Boosting):
    """Adult with its categories as they are."""

    name = "boosting_categories"
    categories = CATEGORIES

    def fresh(self, columns: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows after the first 30,000, which no model has been fitted to."""
        return adult_rows(0, fresh=True)


class BoostingClasses(Boosting):
    """Several classes with one tree for each and round: log-loss on 20,000 fresh rows."""

    name = "boosting_classes"
    rounds = ROUNDS

    def strength(self, X: Any, y: Any) -> int:
        """Return the number of rounds, each of one tree for every class."""
        return self.rounds

    def value(self, X: Any, y: Any, strength: int, result: Any) -> float:
        """Return the mean of minus the log of the probability of the class of fresh rows."""
        k = len(np.unique(y))
        new, target = class_interactions(20_000, X.shape[1], k, seed=31)
        chances = np.asarray(result.predict_proba(new))[np.arange(len(target)), target]
        return float(-np.mean(np.log(np.maximum(chances, 1e-12))))

    def null(self, X: Any, y: Any) -> float:
        """Of the shares of the classes."""
        share = np.bincount(y) / len(y)
        return float(-np.sum(share * np.log(share)))


class BoostingManyClasses(BoostingClasses):
    """A hundred classes on few rows: twenty rounds are two thousand trees."""

    name = "boosting_many_classes"
    rounds = 20


OBJECTIVES = (Boosting(), BoostingCategories(), BoostingClasses(), BoostingManyClasses())
