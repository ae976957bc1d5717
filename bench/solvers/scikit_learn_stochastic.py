"""The stochastic gradients and SAGA of scikit-learn, as the bench calls them."""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.linear_model import LogisticRegression, SGDClassifier

from bench.objectives.base import Fit
from bench.solvers.base import Solver

LIBRARY = "scikit-learn"


def _sgd(X: Any, y: Any, alpha: float, epochs: int, average: bool) -> Fit:
    model = SGDClassifier(
        loss="log_loss", alpha=alpha, max_iter=epochs, tol=None, average=average, random_state=0
    ).fit(X, y)
    return Fit(model.coef_[0], float(model.intercept_[0]))


def _defaults(X: Any, y: Any, alpha: float) -> Fit:
    model = SGDClassifier(loss="log_loss", alpha=alpha, random_state=0).fit(X, y)
    return Fit(model.coef_[0], float(model.intercept_[0]))


def _logistic(X: Any, y: Any, alpha: float, solver: str, tol: float, steps: int = 1000) -> Fit:
    model = LogisticRegression(
        C=1.0 / (alpha * len(y)), solver=solver, tol=tol, max_iter=steps, random_state=0
    ).fit(X, y)
    return Fit(model.coef_[0], float(model.intercept_[0]))


SOLVERS = {
    "sgd_logistic": [
        Solver(LIBRARY, "sgd", partial(_sgd, epochs=5, average=False)),
        Solver(LIBRARY, "sgd average", partial(_sgd, epochs=5, average=True)),
        Solver(LIBRARY, "saga 5 epochs", partial(_logistic, solver="saga", tol=1e-12, steps=5)),
    ],
    "sgd_defaults": [Solver(LIBRARY, "SGDClassifier", _defaults)],
    "rough_logistic": [
        Solver(LIBRARY, "sgd 20 epochs", partial(_sgd, epochs=20, average=False)),
        Solver(LIBRARY, "saga tol=0.01", partial(_logistic, solver="saga", tol=0.01)),
        Solver(LIBRARY, "lbfgs tol=1e-3", partial(_logistic, solver="lbfgs", tol=1e-3)),
        Solver(LIBRARY, "newton-cholesky tol=1e-2", partial(_logistic, solver="newton-cholesky", tol=1e-2)),
    ],
}
