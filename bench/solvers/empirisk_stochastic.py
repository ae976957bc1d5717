"""Ours: stochastic gradients, through the public names."""

from __future__ import annotations

from typing import Any

import empirisk as er
from bench.objectives.base import Fit
from bench.solvers.base import Solver


def _sgd(X: Any, y: Any, alpha: float, **settings: Any) -> Fit:
    model = er.SGDClassifier("logistic", alpha, **settings).fit(X, y)
    return Fit(model.coef_[0], float(model.intercept_[0]))


def _svrg(X: Any, y: Any, alpha: float) -> Fit:
    model = er.LogisticRegression(alpha=alpha, solver="svrg", tol=1e-3).fit(X, y)
    return Fit(model.coef_[0], float(model.intercept_[0]))


def _auto(X: Any, y: Any, alpha: float) -> Fit:
    model = er.LogisticRegression(alpha=alpha, tol=1e-3).fit(X, y)
    return Fit(model.coef_[0], float(model.intercept_[0]))


SOLVERS = {
    "sgd_logistic": [
        Solver("empirisk", "suffix", lambda X, y, a: _sgd(X, y, a, n_epochs=5)),
        Solver("empirisk", "last", lambda X, y, a: _sgd(X, y, a, n_epochs=5, output="last")),
        Solver("empirisk", "batch=32", lambda X, y, a: _sgd(X, y, a, n_epochs=5, batch_size=32)),
    ],
    "sgd_defaults": [Solver("empirisk", "SGDClassifier", _sgd)],
    "rough_logistic": [
        Solver("empirisk", "sgd n_epochs=1", lambda X, y, a: _sgd(X, y, a, n_epochs=1)),
        Solver("empirisk", "svrg tol=1e-3", _svrg),
        Solver("empirisk", "auto tol=1e-3", _auto),
    ],
}
