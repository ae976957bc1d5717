"""The generalised linear models of scikit-learn, as the bench calls them."""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.linear_model import GammaRegressor, PoissonRegressor

from bench.objectives.base import Fit
from bench.solvers.base import Solver

LIBRARY = "scikit-learn"


def _fit(X: Any, y: Any, alpha: float, make: Any, solver: str, tol: float) -> Fit:
    model = make(alpha=alpha, solver=solver, tol=tol, max_iter=1000).fit(X, y)
    return Fit(model.coef_, model.intercept_)


SOLVERS = {
    family: [
        Solver(LIBRARY, f"{solver} tol={tol:g}", partial(_fit, make=make, solver=solver, tol=tol))
        for solver, tol in (("lbfgs", 1e-4), ("lbfgs", 1e-6), ("newton-cholesky", 1e-4))
    ]
    for family, make in (("poisson", PoissonRegressor), ("gamma", GammaRegressor))
}
