"""scikit-learn, at the parameters that reach the accuracy (and at its defaults, to show what those reach)."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any

from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge, RidgeCV, lasso_path
from sklearn.svm import LinearSVC

from bench.objectives.base import Fit
from bench.solvers.base import Solver

LIBRARY = "scikit-learn"


def _fit(model: Any, X: Any, y: Any) -> Fit:
    model.fit(X, y)
    return Fit(model.coef_, model.intercept_)


def _ridge(X: Any, y: Any, alpha: float, solver: str) -> Fit:
    return _fit(Ridge(alpha=alpha * len(y), solver=solver), X, y)


def _loo(X: Any, y: Any, alphas: Any, gcv_mode: str) -> float:
    return float(RidgeCV(alphas=alphas * len(y), gcv_mode=gcv_mode).fit(X, y).alpha_) / len(y)


def _lasso(X: Any, y: Any, alpha: float, tol: float) -> Fit:
    return _fit(Lasso(alpha=alpha, tol=tol, max_iter=100_000), X, y)


def _path(X: Any, y: Any, alphas: Any, tol: float) -> Any:
    return lasso_path(X, y, alphas=alphas, tol=tol, max_iter=100_000)[1].T


def logistic(make: Any, X: Any, y: Any, alpha: float, **params: Any) -> Fit:
    """A binary fit without intercept; `make` is the class of the library."""
    model = make(C=1.0 / (alpha * len(y)), fit_intercept=False, max_iter=5000, **params).fit(X, y)
    return Fit(model.coef_[0])


def _svm(X: Any, y: Any, alpha: float, loss: str, dual: bool, tol: float, max_iter: int = 1000) -> Fit:
    strength = 1.0 / (alpha * len(y)) if loss == "hinge" else 0.5 / (alpha * len(y))
    model = LinearSVC(
        C=strength, loss=loss, dual=dual, fit_intercept=False, tol=tol, max_iter=max_iter, random_state=0
    ).fit(X, y)
    return Fit(model.coef_[0])


def softmax(make: Any, X: Any, y: Any, alpha: float, **params: Any) -> Fit:
    """Return the coefficients of a multinomial fit with intercepts."""
    model = make(C=1.0 / (alpha * len(y)), max_iter=5000, **params).fit(X, y)
    return Fit(model.coef_.T, model.intercept_)


def _logistic(solver: str, tol: float, l1_ratio: float = 0.0) -> Solver:
    fit = partial(logistic, LogisticRegression, solver=solver, tol=tol, l1_ratio=l1_ratio)
    return Solver(LIBRARY, f"{solver} tol={tol:g}", fit, 5000 if solver == "newton-cholesky" else inf)


def _softmax(solver: str, tol: float, **params: Any) -> Solver:
    fit = partial(softmax, LogisticRegression, solver=solver, tol=tol, **params)
    return Solver(LIBRARY, f"{solver} tol={tol:g}", fit)


SOLVERS = {
    "ols": [Solver(LIBRARY, "LinearRegression", lambda X, y, a: _fit(LinearRegression(), X, y))],
    "ridge": [Solver(LIBRARY, name, partial(_ridge, solver=name)) for name in ("auto", "cholesky")],
    "ridge_loo": [
        Solver(LIBRARY, f"RidgeCV {name}", partial(_loo, gcv_mode=name)) for name in ("auto", "eigen")
    ],
    "lasso": [Solver(LIBRARY, f"tol={tol:g}", partial(_lasso, tol=tol)) for tol in (1e-4, 5e-7)],
    "lasso_path": [Solver(LIBRARY, f"tol={tol:g}", partial(_path, tol=tol)) for tol in (1e-4, 5e-7)],
    "logistic": [
        _logistic("lbfgs", 1e-4),
        _logistic("lbfgs", 1e-5),
        _logistic("lbfgs", 1e-7),
        _logistic("newton-cholesky", 1e-4),
        _logistic("newton-cg", 1e-6),
    ],
    "svm_hinge": [
        Solver(LIBRARY, f"dual tol={tol:g}", partial(_svm, loss="hinge", dual=True, tol=tol))
        for tol in (1e-2, 1e-4)
    ],
    "svm_squared_hinge": [
        Solver(
            LIBRARY,
            f"{'dual' if dual else 'primal'} tol={tol:g}",
            partial(_svm, loss="squared_hinge", dual=dual, tol=tol),
        )
        for dual, tol in ((False, 1e-4), (False, 1e-6), (True, 1e-2))
    ],
    "l1_logistic": [_logistic("liblinear", 1e-4, 1.0), _logistic("saga", 1e-4, 1.0)],
    "l1_softmax": [_softmax("saga", tol, l1_ratio=1.0, random_state=0) for tol in (1e-3, 1e-4)],
    "elastic_net_softmax": [_softmax("saga", tol, l1_ratio=0.5, random_state=0) for tol in (1e-3, 1e-4)],
    "softmax": [_softmax("lbfgs", 1e-4), _softmax("lbfgs", 1e-6), _softmax("newton-cg", 1e-5)],
}
