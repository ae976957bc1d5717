"""Ours: what fitted trees say about rows, through the public names."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import empirisk as er
from bench.objectives.tree_reading import fitted
from bench.solvers.base import Solver


@cache
def _booster(trees: int, columns: int) -> Any:
    model = er.GradientBoostingClassifier(n_estimators=trees, max_leaf_nodes=31, early_stopping=False)
    return fitted(model, columns)


@cache
def _forest(trees: int, columns: int) -> Any:
    return fitted(er.RandomForestClassifier(n_estimators=trees, random_state=0), columns)


def _shap(X: Any, y: Any, trees: int) -> Any:
    model = _booster(trees, X.shape[1])
    found = er.tree_shap(model, X)
    return found.base + found.values.sum(axis=1), np.asarray(model.decision_function(X))


SOLVERS = {
    "predict_boosting": [
        Solver("empirisk", "", lambda X, y, trees: _booster(trees, X.shape[1]).predict_proba(X)[:, 1])
    ],
    "predict_forest": [
        Solver("empirisk", "", lambda X, y, trees: _forest(trees, X.shape[1]).predict_proba(X)[:, 1])
    ],
    "tree_shap": [Solver("empirisk", "", _shap)],
}
