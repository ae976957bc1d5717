"""XGBoost on histograms, leaf by leaf; not among the dependencies: `pip install xgboost` to measure it."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from bench.datasets.adult import CATEGORIES
from bench.datasets.interactions import interactions
from bench.solvers.base import Solver


def _boost(X: Any, y: Any, rounds: int, categories: list[int] | None = None) -> Any:
    from xgboost import XGBClassifier

    kinds = None if categories is None else ["c" if j in categories else "q" for j in range(X.shape[1])]
    model = XGBClassifier(
        n_estimators=rounds,
        max_leaves=31,
        max_depth=0,
        grow_policy="lossguide",
        learning_rate=0.1,
        tree_method="hist",
        enable_categorical=categories is not None,
        feature_types=kinds,
        n_jobs=int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)),
    )
    return model.fit(X, y)


@cache
def _fitted(trees: int, columns: int) -> Any:
    return _boost(*interactions(10_000, columns, seed=21), trees)


def _predict(X: Any, y: Any, trees: int) -> Any:
    return _fitted(trees, X.shape[1]).predict_proba(X)[:, 1]


def _shap(X: Any, y: Any, trees: int) -> Any:
    from xgboost import DMatrix

    model = _fitted(trees, X.shape[1])
    parts = model.get_booster().predict(DMatrix(X), pred_contribs=True)
    return parts.sum(axis=1), model.predict(X, output_margin=True)


SOLVERS = {
    "predict_boosting": [Solver("xgboost", "lossguide", _predict)],
    "tree_shap": [Solver("xgboost", "pred_contribs", _shap)],
    **{
        name: [Solver("xgboost", "lossguide", _boost)]
        for name in ("boosting", "boosting_classes", "boosting_many_classes")
    },
    "boosting_categories": [
        Solver("xgboost", "lossguide", lambda X, y, rounds: _boost(X, y, rounds, CATEGORIES))
    ],
}
