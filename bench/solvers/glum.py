"""glum: iteratively reweighted least squares for generalised linear models."""

from __future__ import annotations

from functools import partial
from typing import Any

from bench.objectives.base import Fit
from bench.solvers.base import Solver

LIBRARY = "glum"


def _fit(X: Any, y: Any, alpha: float, family: str, tol: float) -> Fit:
    from glum import GeneralizedLinearRegressor

    model = GeneralizedLinearRegressor(alpha=alpha, l1_ratio=0, family=family, link="log", gradient_tol=tol)
    model.fit(X, y)
    return Fit(model.coef_, model.intercept_)


SOLVERS = {
    family: [Solver(LIBRARY, f"tol={tol:g}", partial(_fit, family=family, tol=tol)) for tol in (1e-4, 1e-6)]
    for family in ("poisson", "gamma")
}
