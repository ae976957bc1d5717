"""Ours, through the public names and at the default tolerance."""

from __future__ import annotations

from typing import Any

import empirisk as er
from bench.objectives.base import Fit
from bench.solvers.base import Solver


def _fit(model: Any, X: Any, y: Any) -> Fit:
    model.fit(X, y)
    return Fit(model.coef_, model.intercept_)


def _logistic(X: Any, y: Any, alpha: float, l1_ratio: float) -> Fit:
    model = er.LogisticRegression(alpha=alpha, l1_ratio=l1_ratio, fit_intercept=False).fit(X, y)
    return Fit(model.coef_[0])


def _svm(X: Any, y: Any, alpha: float, loss: str) -> Fit:
    model = er.LinearSVC(alpha=alpha, loss=loss, fit_intercept=False).fit(X, y)
    return Fit(model.coef_[0])


def _softmax(X: Any, y: Any, alpha: float, l1_ratio: float = 0.0) -> Fit:
    model = er.LogisticRegression(alpha=alpha, l1_ratio=l1_ratio).fit(X, y)
    return Fit(model.coef_.T, model.intercept_)


def _loo(X: Any, y: Any, alphas: Any) -> float:
    return float(er.Ridge(alpha="cv", alphas=alphas).fit(X, y).alpha_)


def _path(X: Any, y: Any, alphas: Any) -> Any:
    return er.path(er.Lasso(fit_intercept=False), X, y, alphas=alphas).coefs


def _bootstrap(statistic: str, data: Any, name: str) -> tuple[Any, Any]:
    found = er.bootstrap(statistic, data, random_state=0)[name]
    return found.low, found.high


def _one(fit: Any) -> list[Solver]:
    return [Solver("empirisk", "", fit)]


SOLVERS = {
    "ols": _one(lambda X, y, a: _fit(er.LinearRegression(), X, y)),
    "ridge": _one(lambda X, y, a: _fit(er.Ridge(alpha=a), X, y)),
    "ridge_loo": _one(_loo),
    "lasso": _one(lambda X, y, a: _fit(er.Lasso(alpha=a), X, y)),
    "lasso_path": _one(_path),
    "logistic": _one(lambda X, y, a: _logistic(X, y, a, 0.0)),
    "l1_logistic": _one(lambda X, y, a: _logistic(X, y, a, 1.0)),
    "svm_hinge": _one(lambda X, y, a: _svm(X, y, a, "hinge")),
    "svm_squared_hinge": _one(lambda X, y, a: _svm(X, y, a, "squared_hinge")),
    "softmax": _one(_softmax),
    "l1_softmax": _one(lambda X, y, a: _softmax(X, y, a, 1.0)),
    "elastic_net_softmax": _one(lambda X, y, a: _softmax(X, y, a, 0.5)),
    "bootstrap_mean": _one(lambda X, y, a: _bootstrap("mean", y, "mean")),
    "bootstrap_median": _one(lambda X, y, a: _bootstrap("median", y, "median")),
    "bootstrap_correlation": _one(lambda X, y, a: _bootstrap("correlation", (X[:, 0], y), "correlation")),
    "bootstrap_regression": _one(lambda X, y, a: _bootstrap("regression", (X, y), "x0")),
}
