"""scikit-learn: predictions of boosted trees and forests; scikit-learn-intelex for the forest; and `shap` on
scikit-learn's booster (not among the dependencies: `pip install shap` to measure it)."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from bench.objectives.tree_reading import fitted
from bench.solvers.base import Solver


@cache
def _booster(trees: int, columns: int) -> Any:
    return fitted(HistGradientBoostingClassifier(max_iter=trees, early_stopping=False), columns)


@cache
def _forest(trees: int, columns: int, intelex: bool) -> Any:
    threads = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1))
    if not intelex:
        return fitted(RandomForestClassifier(trees, n_jobs=threads, random_state=0), columns)
    from sklearnex.ensemble import RandomForestClassifier as Intelex

    return fitted(Intelex(trees, n_jobs=threads, random_state=0), columns)


def _predict(intelex: bool) -> Any:
    return lambda X, y, trees: _forest(trees, X.shape[1], intelex).predict_proba(X)[:, 1]


def _shap(X: Any, y: Any, trees: int) -> Any:
    from shap import TreeExplainer

    model = _booster(trees, X.shape[1])
    explainer = TreeExplainer(model)
    return explainer.shap_values(X).sum(axis=1) + explainer.expected_value, model.decision_function(X)


SOLVERS = {
    "predict_boosting": [
        Solver(
            "scikit-learn",
            "HistGradientBoostingClassifier",
            lambda X, y, trees: _booster(trees, X.shape[1]).predict_proba(X)[:, 1],
        )
    ],
    "predict_forest": [
        Solver("scikit-learn", "RandomForestClassifier", _predict(False)),
        Solver("scikit-learn-intelex", "RandomForestClassifier", _predict(True)),
    ],
    "tree_shap": [Solver("shap", "TreeExplainer of HistGradientBoostingClassifier", _shap)],
}
