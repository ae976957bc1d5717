"""skglm: working sets with Anderson acceleration, compiled by numba at the first call."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench.datasets.grouped import SIZE
from bench.objectives.base import Fit
from bench.solvers.base import Solver

LIBRARY = "skglm"


def _lasso(X: Any, y: Any, alpha: float, tol: float) -> Fit:
    from skglm import Lasso

    model = Lasso(alpha=alpha, tol=tol).fit(X, y)
    return Fit(model.coef_, model.intercept_)


def _path(X: Any, y: Any, alphas: Any, tol: float) -> Any:
    from skglm import Lasso

    return Lasso(fit_intercept=False, tol=tol).path(X, y, alphas)[1].T


def _logistic(X: Any, y: Any, alpha: float, tol: float) -> Fit:
    from skglm import SparseLogisticRegression

    model = SparseLogisticRegression(alpha=alpha, tol=tol, fit_intercept=False).fit(X, y)
    return Fit(model.coef_[0])


def _svm(X: Any, y: Any, alpha: float, tol: float) -> Fit:
    from skglm import LinearSVC

    model = LinearSVC(C=1.0 / (alpha * len(y)), tol=tol, fit_intercept=False).fit(X, y)
    return Fit(model.coef_[0])


def grouped(X: Any, y: Any, alpha: float, tol: float, binary: bool) -> Fit:
    """The group lasso, squared or logistic loss."""
    from skglm import GeneralizedLinearEstimator
    from skglm.datafits import LogisticGroup, QuadraticGroup
    from skglm.penalties import WeightedGroupL2
    from skglm.solvers import GroupBCD, GroupProxNewton
    from skglm.utils.data import grp_converter

    index, start = grp_converter(SIZE, X.shape[1])
    datafit = (LogisticGroup if binary else QuadraticGroup)(start, index)
    penalty = WeightedGroupL2(alpha, np.full(X.shape[1] // SIZE, np.sqrt(SIZE)), start, index)
    solver = (GroupProxNewton if binary else GroupBCD)(fit_intercept=False, tol=tol)
    target = np.where(y > 0, 1.0, -1.0) if binary else y
    return Fit(GeneralizedLinearEstimator(datafit, penalty, solver).fit(X, target).coef_.ravel())


SOLVERS = {
    "group_lasso": [
        Solver(LIBRARY, f"tol={tol:g}", partial(grouped, tol=tol, binary=False)) for tol in (1e-3, 1e-4)
    ],
    "group_logistic": [
        Solver(LIBRARY, f"tol={tol:g}", partial(grouped, tol=tol, binary=True)) for tol in (1e-3, 1e-4, 1e-5)
    ],
    "lasso": [Solver(LIBRARY, f"tol={tol:g}", partial(_lasso, tol=tol)) for tol in (1e-3, 1e-5)],
    "lasso_path": [Solver(LIBRARY, f"tol={tol:g}", partial(_path, tol=tol)) for tol in (1e-4, 1e-6)],
    "svm_hinge": [Solver(LIBRARY, "tol=0.001", partial(_svm, tol=1e-3))],
    "l1_logistic": [Solver(LIBRARY, "tol=0.0001", partial(_logistic, tol=1e-4))],
}
