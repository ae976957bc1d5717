"""Estimators: parameters -> problem -> solve -> unpack.  Adding one is a class and a row of REGISTRY."""

from empirisk.estimators.generalized import GeneralizedLinearModel
from empirisk.estimators.glm import LogisticRegression
from empirisk.estimators.linear import ElasticNet, Lasso, LinearRegression, Ridge
from empirisk.estimators.path import Path, path
from empirisk.estimators.positive import GammaRegressor, PoissonRegressor, TweedieRegressor
from empirisk.estimators.quantile import LeastAbsoluteDeviations, QuantileRegressor
from empirisk.estimators.robust import HuberRegressor
from empirisk.estimators.verify import verify

REGISTRY: dict[str, type] = {
    "ElasticNet": ElasticNet,
    "GammaRegressor": GammaRegressor,
    "GeneralizedLinearModel": GeneralizedLinearModel,
    "HuberRegressor": HuberRegressor,
    "Lasso": Lasso,
    "LeastAbsoluteDeviations": LeastAbsoluteDeviations,
    "LinearRegression": LinearRegression,
    "LogisticRegression": LogisticRegression,
    "PoissonRegressor": PoissonRegressor,
    "QuantileRegressor": QuantileRegressor,
    "Ridge": Ridge,
    "TweedieRegressor": TweedieRegressor,
}

__all__ = [
    "REGISTRY",
    "ElasticNet",
    "GammaRegressor",
    "GeneralizedLinearModel",
    "HuberRegressor",
    "Lasso",
    "LeastAbsoluteDeviations",
    "LinearRegression",
    "LogisticRegression",
    "Path",
    "PoissonRegressor",
    "QuantileRegressor",
    "Ridge",
    "TweedieRegressor",
    "path",
    "verify",
]
