"""LightGBM; not among the dependencies: `pip install lightgbm` to measure it."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from bench.datasets.adult import CATEGORIES
from bench.datasets.interactions import interactions
from bench.solvers.base import Solver


def _boost(X: Any, y: Any, rounds: int, categories: list[int] | None = None) -> Any:
    from lightgbm import LGBMClassifier

    threads = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1))
    model = LGBMClassifier(n_estimators=rounds, num_leaves=31, n_jobs=threads, verbose=-1)
    return model.fit(X, y, categorical_feature="auto" if categories is None else categories)


@cache
def _fitted(trees: int, columns: int) -> Any:
    return _boost(*interactions(10_000, columns, seed=21), trees)


def _predict(X: Any, y: Any, trees: int) -> Any:
    return _fitted(trees, X.shape[1]).predict_proba(X)[:, 1]


def _shap(X: Any, y: Any, trees: int) -> Any:
    model = _fitted(trees, X.shape[1])
    return model.predict(X, pred_contrib=True).sum(axis=1), model.predict(X, raw_score=True)


SOLVERS = {
    "predict_boosting": [Solver("lightgbm", "", _predict)],
    "tree_shap": [Solver("lightgbm", "pred_contrib", _shap)],
    **{
        name: [Solver("lightgbm", "", _boost)]
        for name in ("boosting", "boosting_classes", "boosting_many_classes")
    },
    "boosting_categories": [Solver("lightgbm", "", lambda X, y, rounds: _boost(X, y, rounds, CATEGORIES))],
}
