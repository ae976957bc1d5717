"""Ours: generalised linear models, through the public names and at the default tolerance."""

from __future__ import annotations

from typing import Any

import empirisk as er
from bench.objectives.base import Fit
from bench.solvers.base import Solver


def _fit(name: str, X: Any, y: Any, alpha: float) -> Fit:
    model = getattr(er, name)(alpha=alpha).fit(X, y)
    return Fit(model.coef_, model.intercept_)


SOLVERS = {
    "poisson": [Solver("empirisk", "", lambda X, y, a: _fit("PoissonRegressor", X, y, a))],
    "gamma": [Solver("empirisk", "", lambda X, y, a: _fit("GammaRegressor", X, y, a))],
}
