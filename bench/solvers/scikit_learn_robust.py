"""scikit-learn's quantile regression (a linear programme) and Huber regression (L-BFGS)."""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.linear_model import HuberRegressor, QuantileRegressor

from bench.objectives.base import Fit
from bench.solvers.base import Solver

LIBRARY = "scikit-learn"


def _quantile(X: Any, y: Any, level: float) -> Fit:
    model = QuantileRegressor(quantile=level, alpha=0.0, solver="highs").fit(X, y)
    return Fit(model.coef_, model.intercept_)


def _huber(X: Any, y: Any, alpha: float, tol: float) -> Fit:
    model = HuberRegressor(alpha=alpha * len(y), tol=tol, max_iter=1000).fit(X, y)
    return Fit(model.coef_, model.intercept_)


SOLVERS = {
    "quantile": [Solver(LIBRARY, "highs", _quantile)],
    "huber": [Solver(LIBRARY, f"tol={tol:g}", partial(_huber, tol=tol)) for tol in (1e-5, 1e-2)],
}
