"""Estimators: parameters -> problem -> solve -> unpack.  Adding one is a class and a row of REGISTRY."""

from empirisk.estimators.glm import LogisticRegression
from empirisk.estimators.linear import ElasticNet, Lasso, LinearRegression, Ridge
from empirisk.estimators.path import Path, path
from empirisk.estimators.quantile import LeastAbsoluteDeviations, QuantileRegressor
from empirisk.estimators.robust import HuberRegressor
from empirisk.estimators.verify import verify

REGISTRY: dict[str, type] = {
    "ElasticNet": ElasticNet,
    "HuberRegressor": HuberRegressor,
    "Lasso": Lasso,
    "LeastAbsoluteDeviations": LeastAbsoluteDeviations,
    "LinearRegression": LinearRegression,
    "LogisticRegression": LogisticRegression,
    "QuantileRegressor": QuantileRegressor,
    "Ridge": Ridge,
}

__all__ = [
    "REGISTRY",
    "ElasticNet",
    "HuberRegressor",
    "Lasso",
    "LeastAbsoluteDeviations",
    "LinearRegression",
    "LogisticRegression",
    "Path",
    "QuantileRegressor",
    "Ridge",
    "path",
    "verify",
]
