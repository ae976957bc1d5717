"""Estimators: parameters -> problem -> solve -> unpack.  Adding one is a class and a row of REGISTRY."""

from empirisk.estimators.adaboost import AdaBoostClassifier
from empirisk.estimators.bagging import BaggingClassifier, BaggingRegressor
from empirisk.estimators.boosting_classifier import GradientBoostingClassifier
from empirisk.estimators.boosting_regressor import GradientBoostingRegressor
from empirisk.estimators.constrained import ConstrainedRegressor
from empirisk.estimators.equivalent import EquivalentConstraint, equivalent_constraint
from empirisk.estimators.generalized import GeneralizedLinearModel
from empirisk.estimators.glm import LogisticRegression
from empirisk.estimators.halfspace import HalfspaceClassifier
from empirisk.estimators.linear import ElasticNet, Lasso, LinearRegression, Ridge
from empirisk.estimators.path import Path, path
from empirisk.estimators.penalized import PenalizedRegressor
from empirisk.estimators.perceptron import Perceptron
from empirisk.estimators.positive import GammaRegressor, PoissonRegressor, TweedieRegressor
from empirisk.estimators.quantile import LeastAbsoluteDeviations, QuantileRegressor
from empirisk.estimators.robust import HuberRegressor
from empirisk.estimators.sgd_classifier import SGDClassifier
from empirisk.estimators.sgd_regressor import SGDRegressor
from empirisk.estimators.svm import LinearSVC
from empirisk.estimators.svr import LinearSVR
from empirisk.estimators.verify import verify

REGISTRY: dict[str, type] = {
    "BaggingRegressor": BaggingRegressor,
    "BaggingClassifier": BaggingClassifier,
    "AdaBoostClassifier": AdaBoostClassifier,
    "ConstrainedRegressor": ConstrainedRegressor,
    "ElasticNet": ElasticNet,
    "GammaRegressor": GammaRegressor,
    "GeneralizedLinearModel": GeneralizedLinearModel,
    "GradientBoostingClassifier": GradientBoostingClassifier,
    "GradientBoostingRegressor": GradientBoostingRegressor,
    "HalfspaceClassifier": HalfspaceClassifier,
    "HuberRegressor": HuberRegressor,
    "Lasso": Lasso,
    "LeastAbsoluteDeviations": LeastAbsoluteDeviations,
    "LinearRegression": LinearRegression,
    "LinearSVC": LinearSVC,
    "LinearSVR": LinearSVR,
    "LogisticRegression": LogisticRegression,
    "PenalizedRegressor": PenalizedRegressor,
    "Perceptron": Perceptron,
    "PoissonRegressor": PoissonRegressor,
    "QuantileRegressor": QuantileRegressor,
    "Ridge": Ridge,
    "SGDClassifier": SGDClassifier,
    "SGDRegressor": SGDRegressor,
    "TweedieRegressor": TweedieRegressor,
}

__all__ = [
    "REGISTRY",
    "AdaBoostClassifier",
    "BaggingClassifier",
    "BaggingRegressor",
    "ConstrainedRegressor",
    "ElasticNet",
    "EquivalentConstraint",
    "GammaRegressor",
    "GeneralizedLinearModel",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HalfspaceClassifier",
    "HuberRegressor",
    "Lasso",
    "LeastAbsoluteDeviations",
    "LinearRegression",
    "LinearSVC",
    "LinearSVR",
    "LogisticRegression",
    "Path",
    "PenalizedRegressor",
    "Perceptron",
    "PoissonRegressor",
    "QuantileRegressor",
    "Ridge",
    "SGDClassifier",
    "SGDRegressor",
    "TweedieRegressor",
    "equivalent_constraint",
    "path",
    "verify",
]
