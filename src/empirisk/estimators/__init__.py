"""Estimators: parameters -> problem -> solve -> unpack.  Adding one is a class and a row of REGISTRY."""

from empirisk.estimators.glm import LogisticRegression
from empirisk.estimators.linear import ElasticNet, Lasso, LinearRegression, Ridge
from empirisk.estimators.path import Path, path
from empirisk.estimators.verify import verify

REGISTRY: dict[str, type] = {
    "ElasticNet": ElasticNet,
    "Lasso": Lasso,
    "LinearRegression": LinearRegression,
    "LogisticRegression": LogisticRegression,
    "Ridge": Ridge,
}

__all__ = [
    "REGISTRY",
    "ElasticNet",
    "Lasso",
    "LinearRegression",
    "LogisticRegression",
    "Path",
    "Ridge",
    "path",
    "verify",
]
