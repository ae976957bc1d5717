"""Ours: quantile and Huber regression, through the public names."""

from __future__ import annotations

from typing import Any

import empirisk as er
from bench.objectives.base import Fit
from bench.solvers.base import Solver


def _quantile(X: Any, y: Any, level: float) -> Fit:
    model = er.QuantileRegressor(level).fit(X, y)
    return Fit(model.coef_, model.intercept_)


def _huber(X: Any, y: Any, alpha: float) -> Fit:
    model = er.HuberRegressor(scale="joint", alpha=alpha, tol=1e-6).fit(X, y)
    return Fit(model.coef_, model.intercept_)


SOLVERS = {"quantile": [Solver("empirisk", "", _quantile)], "huber": [Solver("empirisk", "", _huber)]}
