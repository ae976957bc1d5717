"""scikit-learn's searches over strengths: the general one, and the special one of each model."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import Lasso, LassoCV, LogisticRegression, LogisticRegressionCV, Ridge, RidgeCV
from sklearn.model_selection import GridSearchCV

from bench.objectives.grid import FOLDS
from bench.solvers.base import Solver

LIBRARY = "scikit-learn"


def _grid(est: Any, name: str, scoring: str, values: Any, X: Any, y: Any, strength: Any) -> float:
    """`values` turns strengths into what the model calls them, on as many rows as a fold leaves."""
    grid = {name: values(strength, 0.8 * len(y))}
    found = GridSearchCV(est, grid, cv=FOLDS, scoring=scoring, refit=False).fit(X, y)
    return float(strength[found.best_index_])


def _ridge(X: Any, y: Any, strength: Any) -> float:
    n = 0.8 * len(y)
    return float(RidgeCV(strength * n, cv=FOLDS, scoring="neg_mean_squared_error").fit(X, y).alpha_) / n


def _lasso(X: Any, y: Any, strength: Any, tol: float) -> float:
    return float(LassoCV(alphas=strength, cv=FOLDS, tol=tol, max_iter=100_000).fit(X, y).alpha_)


def _logistic(X: Any, y: Any, strength: Any, tol: float) -> float:
    n = 0.8 * len(y)
    model = LogisticRegressionCV(
        Cs=1.0 / (strength * n), cv=FOLDS, scoring="neg_log_loss", tol=tol, max_iter=5000, refit=True
    ).fit(X, y)
    return float(1.0 / (np.ravel(model.C_)[0] * n))


def _times(strength: Any, n: float) -> Any:
    return strength * n


def _same(strength: Any, n: float) -> Any:
    return strength


def _inverse(strength: Any, n: float) -> Any:
    return 1.0 / (strength * n)


MSE, LOG = "neg_mean_squared_error", "neg_log_loss"

SOLVERS = {
    "grid_ridge": [
        Solver(LIBRARY, "GridSearchCV", partial(_grid, Ridge(), "alpha", MSE, _times)),
        Solver(LIBRARY, "RidgeCV", _ridge),
    ],
    "grid_lasso": [
        Solver(LIBRARY, "GridSearchCV", partial(_grid, Lasso(max_iter=100_000), "alpha", MSE, _same)),
        *(Solver(LIBRARY, f"LassoCV tol={tol:g}", partial(_lasso, tol=tol)) for tol in (1e-4, 5e-7)),
    ],
    "grid_logistic": [
        Solver(
            LIBRARY, "GridSearchCV", partial(_grid, LogisticRegression(max_iter=5000), "C", LOG, _inverse)
        ),
        *(
            Solver(LIBRARY, f"LogisticRegressionCV tol={t:g}", partial(_logistic, tol=t))
            for t in (1e-4, 1e-6)
        ),
    ],
}
