"""celer: working sets and dual extrapolation for L1 problems."""

from __future__ import annotations

from functools import partial
from typing import Any

from bench.objectives.base import Fit
from bench.solvers.base import Solver

LIBRARY = "celer"


def _lasso(X: Any, y: Any, alpha: float, tol: float) -> Fit:
    from celer import Lasso

    model = Lasso(alpha=alpha, tol=tol).fit(X, y)
    return Fit(model.coef_, model.intercept_)


def _path(X: Any, y: Any, alphas: Any, tol: float) -> Any:
    from celer import celer_path

    return celer_path(X, y, "lasso", alphas=alphas, tol=tol)[1].T


def _logistic(X: Any, y: Any, alpha: float, tol: float) -> Fit:
    from celer import LogisticRegression

    model = LogisticRegression(C=1.0 / (alpha * len(y)), tol=tol).fit(X, y)
    return Fit(model.coef_[0])


SOLVERS = {
    "lasso": [Solver(LIBRARY, "tol=5e-07", partial(_lasso, tol=5e-7))],
    "lasso_path": [Solver(LIBRARY, "tol=5e-07", partial(_path, tol=5e-7))],
    "l1_logistic": [Solver(LIBRARY, "tol=1e-06", partial(_logistic, tol=1e-6))],
}
