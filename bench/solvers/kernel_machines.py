"""Machines and regressions with a Gaussian kernel, grids of machines: ours, scikit-learn (LIBSVM), oneDAL.

A call fits, and predicts all rows.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import empirisk as er
from bench.objectives.grid_svc import FOLDS
from bench.objectives.kernel_machine import Machine, machine, width
from bench.solvers.base import Solver


def _ours(X: Any, y: Any, strength: float) -> Machine:
    model = er.SVC(strength, kernel=er.kernels.Gaussian(gamma=width(X))).fit(X, y)
    model.predict(X)
    return machine(model)


def _libsvm(tol: float, cache: float) -> Solver:
    def fit(X: Any, y: Any, strength: float) -> Machine:
        model = SVC(tol=tol, cache_size=cache).fit(X, y)
        model.predict(X)
        return machine(model)

    return Solver("scikit-learn", f"SVC tol={tol:g} cache={cache:g}", fit)


def _intelex(tol: float) -> Solver:
    def fit(X: Any, y: Any, strength: float) -> Machine:
        from sklearnex.svm import SVC

        model = SVC(tol=tol).fit(X, y)
        model.predict(X)
        return machine(model)

    return Solver("scikit-learn-intelex", f"SVC tol={tol:g}", fit)


def _our_ridge(X: Any, y: Any, strength: float) -> np.ndarray:
    kernel = er.kernels.Gaussian(gamma=width(X))
    model = er.KernelRidge(strength, kernel=kernel, fit_intercept=False).fit(X, y)
    model.predict(X)
    weights = np.zeros(len(y))
    weights[model.support_] = model.dual_coef_[0]
    return weights


def _peer_ridge(X: Any, y: Any, strength: float) -> np.ndarray:
    model = KernelRidge(alpha=strength * len(y), kernel="rbf", gamma=width(X)).fit(X, y)
    model.predict(X)
    return np.asarray(model.dual_coef_)


def _our_grid(X: Any, y: Any, grid: Any) -> tuple[float, float]:
    C, gammas = grid
    kernels = [er.kernels.Gaussian(gamma=g) for g in gammas]
    alphas = [1.0 / (len(y) * (1.0 - 1.0 / FOLDS.n_splits) * c) for c in C]
    found = er.selection.GridSearch(
        er.SVC(tol=1e-4), {"kernel": kernels, "alpha": alphas}, metric="accuracy", cv=FOLDS, refit=False
    ).fit(X, y)
    best = found.best_params_
    return float(C[alphas.index(best["alpha"])]), float(best["kernel"].gamma)


def _peer_grid(machines: Any, X: Any, y: Any, grid: Any) -> tuple[float, float]:
    C, gammas = grid
    asked = {"C": list(C), "gamma": list(gammas)}
    found = GridSearchCV(machines(), asked, cv=FOLDS, n_jobs=2, refit=False).fit(X, y)
    return float(found.best_params_["C"]), float(found.best_params_["gamma"])


def _intelex_svc() -> Any:
    from sklearnex.svm import SVC

    return SVC()


SOLVERS = {
    "kernel_ridge": [
        Solver("empirisk", "KernelRidge", _our_ridge),
        Solver("scikit-learn", "KernelRidge", _peer_ridge),
    ],
    "grid_svc": [
        Solver("empirisk", "GridSearch of SVC", _our_grid),
        Solver("scikit-learn", "GridSearchCV of SVC", partial(_peer_grid, SVC)),
        Solver("scikit-learn-intelex", "GridSearchCV of SVC", partial(_peer_grid, _intelex_svc)),
    ],
    "svc_rbf": [
        Solver("empirisk", "SVC", _ours),
        _libsvm(1e-3, 200),
        _libsvm(3e-5, 500),
        _intelex(1e-3),
        _intelex(3e-5),
    ],
}
