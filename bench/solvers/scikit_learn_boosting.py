"""The boosted trees of scikit-learn, which are grown on histograms."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier

from bench.datasets.adult import CATEGORIES
from bench.solvers.base import Solver


def _boost(X: Any, y: Any, rounds: int, categories: list[int] | None = None) -> Any:
    model = HistGradientBoostingClassifier(
        max_iter=rounds, max_leaf_nodes=31, early_stopping=False, categorical_features=categories
    )
    return model.fit(X, y)


SOLVERS = {
    **{
        name: [Solver("scikit-learn", "HistGradientBoosting", _boost)]
        for name in ("boosting", "boosting_classes", "boosting_many_classes")
    },
    "boosting_categories": [
        Solver("scikit-learn", "HistGradientBoosting", lambda X, y, rounds: _boost(X, y, rounds, CATEGORIES))
    ],
}
