"""Our search over strengths: one path a fold, intervals and corrected score included."""

from __future__ import annotations

from functools import partial
from typing import Any

import empirisk as er
from bench.objectives.grid import FOLDS
from bench.solvers.base import Solver


def _search(est: Any, metric: str, X: Any, y: Any, strength: Any) -> float:
    found = er.selection.GridSearch(est, {"alpha": strength}, metric=metric, cv=FOLDS, refit=False)
    return float(found.fit(X, y).best_params_["alpha"])


SOLVERS = {
    "grid_ridge": [Solver("empirisk", "", partial(_search, er.Ridge(), "mse"))],
    "grid_lasso": [Solver("empirisk", "", partial(_search, er.Lasso(), "mse"))],
    "grid_logistic": [Solver("empirisk", "", partial(_search, er.LogisticRegression(), "log_loss"))],
}
