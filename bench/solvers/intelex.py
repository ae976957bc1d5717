"""scikit-learn-intelex (oneDAL); it has no LinearSVC of its own."""

from __future__ import annotations

from functools import partial
from typing import Any

from bench.objectives.base import Fit
from bench.solvers.base import Solver
from bench.solvers.scikit_learn import logistic, softmax

LIBRARY = "scikit-learn-intelex"


def _fit(name: str, X: Any, y: Any, **params: Any) -> Fit:
    from sklearnex import linear_model

    model = getattr(linear_model, name)(**params).fit(X, y)
    return Fit(model.coef_, model.intercept_)


def _logistic(shape: Any, tol: float) -> Solver:
    def fit(X: Any, y: Any, alpha: float) -> Fit:
        from sklearnex.linear_model import LogisticRegression

        return shape(LogisticRegression, X, y, alpha, tol=tol)

    return Solver(LIBRARY, f"lbfgs tol={tol:g}", fit)


SOLVERS = {
    "ols": [Solver(LIBRARY, "LinearRegression", lambda X, y, a: _fit("LinearRegression", X, y))],
    "ridge": [Solver(LIBRARY, "Ridge", lambda X, y, a: _fit("Ridge", X, y, alpha=a * len(y)))],
    "logistic": [_logistic(partial(logistic), tol) for tol in (1e-4, 1e-7)],
    "softmax": [_logistic(partial(softmax), tol) for tol in (1e-4, 1e-6)],
}
