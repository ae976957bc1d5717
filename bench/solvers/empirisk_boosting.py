"""Ours: boosted trees, through the public names."""

from __future__ import annotations

from typing import Any

import empirisk as er
from bench.datasets.adult import CATEGORIES
from bench.solvers.base import Solver


def _boost(X: Any, y: Any, rounds: int, categories: list[int] | None = None) -> Any:
    model = er.GradientBoostingClassifier(
        n_estimators=rounds, max_leaf_nodes=31, early_stopping=False, categorical_features=categories
    )
    return model.fit(X, y)


SOLVERS = {
    **{
        name: [Solver("empirisk", "", _boost)]
        for name in ("boosting", "boosting_classes", "boosting_many_classes")
    },
    "boosting_categories": [Solver("empirisk", "", lambda X, y, rounds: _boost(X, y, rounds, CATEGORIES))],
}
