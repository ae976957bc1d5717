"""LightGBM; not among the dependencies: `pip install lightgbm` to measure it."""

from __future__ import annotations

import os
from typing import Any

from bench.datasets.adult import CATEGORIES
from bench.solvers.base import Solver


def _boost(X: Any, y: Any, rounds: int, categories: list[int] | None = None) -> Any:
    from lightgbm import LGBMClassifier

    threads = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1))
    model = LGBMClassifier(n_estimators=rounds, num_leaves=31, n_jobs=threads, verbose=-1)
    return model.fit(X, y, categorical_feature="auto" if categories is None else categories)


SOLVERS = {
    "boosting": [Solver("lightgbm", "", _boost)],
    "boosting_categories": [Solver("lightgbm", "", lambda X, y, rounds: _boost(X, y, rounds, CATEGORIES))],
}
