"""Ours: the group lasso, through the public names and at the default tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np

import empirisk as er
from bench.datasets.grouped import SIZE
from bench.objectives.base import Fit
from bench.solvers.base import Solver


def _fit(X: Any, y: Any, alpha: float, loss: str) -> Fit:
    penalty = er.penalties.GroupLasso(alpha, np.arange(X.shape[1]).reshape(-1, SIZE))
    if loss == "logistic":
        y = np.where(y > 0, 1.0, -1.0)
    return Fit(er.PenalizedRegressor(penalty, loss=loss, fit_intercept=False).fit(X, y).coef_)


SOLVERS = {
    "group_lasso": [Solver("empirisk", "", lambda X, y, a: _fit(X, y, a, "half_squared"))],
    "group_logistic": [Solver("empirisk", "", lambda X, y, a: _fit(X, y, a, "logistic"))],
}
