"""celer: working sets and dual extrapolation for L1 problems."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench.datasets.grouped import SIZE
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


def _groups(X: Any, y: Any, alpha: float, tol: float) -> Fit:
    from celer import GroupLasso

    weights = np.full(X.shape[1] // SIZE, np.sqrt(SIZE))
    model = GroupLasso(groups=SIZE, alpha=alpha, weights=weights, tol=tol, fit_intercept=False).fit(X, y)
    return Fit(model.coef_)


SOLVERS = {
    "group_lasso": [Solver(LIBRARY, f"tol={tol:g}", partial(_groups, tol=tol)) for tol in (1e-3, 1e-4)],
    "lasso": [Solver(LIBRARY, "tol=5e-07", partial(_lasso, tol=5e-7))],
    "lasso_path": [Solver(LIBRARY, "tol=5e-07", partial(_path, tol=5e-7))],
    "l1_logistic": [Solver(LIBRARY, "tol=1e-06", partial(_logistic, tol=1e-6))],
}
