"""Estimators: parameters -> problem -> solve -> unpack.  Adding one is a class and a row of REGISTRY."""

from empirisk.estimators.bayes.bayes_classifier import BayesClassifier
from empirisk.estimators.bayes.bayesian_glm import BayesianGLM
from empirisk.estimators.bayes.bayesian_linear_regression import BayesianLinearRegression
from empirisk.estimators.bayes.plug_in import PlugInClassifier
from empirisk.estimators.discriminant.linear_discriminant import LinearDiscriminantAnalysis
from empirisk.estimators.discriminant.quadratic_discriminant import QuadraticDiscriminantAnalysis
from empirisk.estimators.formulas.formula_model import FormulaModel, formula
from empirisk.estimators.kernel.gaussian_process_classifier import GaussianProcessClassifier
from empirisk.estimators.kernel.gaussian_process_regressor import GaussianProcessRegressor
from empirisk.estimators.kernel.kernel_sgd_classifier import KernelSGDClassifier
from empirisk.estimators.kernel.logistic import KernelLogisticRegression
from empirisk.estimators.kernel.quantile import KernelQuantile
from empirisk.estimators.kernel.ridge import KernelRidge
from empirisk.estimators.kernel.svc import SVC
from empirisk.estimators.kernel.svr import SVR
from empirisk.estimators.likelihood.conditional_logit import ConditionalLogit
from empirisk.estimators.likelihood.hurdle_regressor import HurdleRegressor
from empirisk.estimators.likelihood.ordered_logit import OrderedLogit
from empirisk.estimators.likelihood.zero_inflated_regressor import ZeroInflatedRegressor
from empirisk.estimators.linear.constrained import ConstrainedRegressor
from empirisk.estimators.linear.equivalent import EquivalentConstraint, equivalent_constraint
from empirisk.estimators.linear.generalized import GeneralizedLinearModel
from empirisk.estimators.linear.glm import LogisticRegression
from empirisk.estimators.linear.halfspace import HalfspaceClassifier
from empirisk.estimators.linear.linear import ElasticNet, Lasso, LinearRegression, Ridge
from empirisk.estimators.linear.path import Path, path
from empirisk.estimators.linear.penalized import PenalizedRegressor
from empirisk.estimators.linear.perceptron import Perceptron
from empirisk.estimators.linear.positive import GammaRegressor, PoissonRegressor, TweedieRegressor
from empirisk.estimators.linear.quantile import LeastAbsoluteDeviations, QuantileRegressor
from empirisk.estimators.linear.robust import HuberRegressor
from empirisk.estimators.linear.svm import LinearSVC
from empirisk.estimators.linear.svr import LinearSVR
from empirisk.estimators.mixtures.regression_mixture import RegressionMixture
from empirisk.estimators.naive_bayes.bernoulli import BernoulliNB
from empirisk.estimators.naive_bayes.categorical import CategoricalNB
from empirisk.estimators.naive_bayes.gaussian import GaussianNB
from empirisk.estimators.naive_bayes.mixed import MixedNB
from empirisk.estimators.naive_bayes.multinomial import MultinomialNB
from empirisk.estimators.neighbors.classifier import KNeighborsClassifier
from empirisk.estimators.neighbors.graphs import kneighbors_graph, radius_graph
from empirisk.estimators.neighbors.regressor import KNeighborsRegressor
from empirisk.estimators.neighbors.smoother import KernelSmoother
from empirisk.estimators.network.layered_graph import NetworkGraph
from empirisk.estimators.network.mlp_classifier import MLPClassifier
from empirisk.estimators.network.mlp_regressor import MLPRegressor
from empirisk.estimators.stochastic.sgd_classifier import SGDClassifier
from empirisk.estimators.stochastic.sgd_regressor import SGDRegressor
from empirisk.estimators.trees.adaboost import AdaBoostClassifier
from empirisk.estimators.trees.adaboost_regressor import AdaBoostRegressor
from empirisk.estimators.trees.bagging import BaggingClassifier, BaggingRegressor
from empirisk.estimators.trees.boosting_classifier import GradientBoostingClassifier
from empirisk.estimators.trees.boosting_regressor import GradientBoostingRegressor
from empirisk.estimators.trees.cost_complexity import CostComplexityPath
from empirisk.estimators.trees.decision_tree_classifier import DecisionTreeClassifier
from empirisk.estimators.trees.decision_tree_regressor import DecisionTreeRegressor
from empirisk.estimators.trees.extra_trees_classifier import ExtraTreesClassifier
from empirisk.estimators.trees.extra_trees_regressor import ExtraTreesRegressor
from empirisk.estimators.trees.random_forest_classifier import RandomForestClassifier
from empirisk.estimators.trees.random_forest_regressor import RandomForestRegressor
from empirisk.estimators.trees.tree_reading import export_text
from empirisk.estimators.verify import verify

REGISTRY: dict[str, type] = {
    "AdaBoostClassifier": AdaBoostClassifier,
    "AdaBoostRegressor": AdaBoostRegressor,
    "BaggingClassifier": BaggingClassifier,
    "BaggingRegressor": BaggingRegressor,
    "BayesianGLM": BayesianGLM,
    "BayesianLinearRegression": BayesianLinearRegression,
    "BernoulliNB": BernoulliNB,
    "CategoricalNB": CategoricalNB,
    "ConditionalLogit": ConditionalLogit,
    "ConstrainedRegressor": ConstrainedRegressor,
    "DecisionTreeClassifier": DecisionTreeClassifier,
    "DecisionTreeRegressor": DecisionTreeRegressor,
    "ElasticNet": ElasticNet,
    "ExtraTreesClassifier": ExtraTreesClassifier,
    "ExtraTreesRegressor": ExtraTreesRegressor,
    "GammaRegressor": GammaRegressor,
    "GaussianNB": GaussianNB,
    "GaussianProcessClassifier": GaussianProcessClassifier,
    "GaussianProcessRegressor": GaussianProcessRegressor,
    "GeneralizedLinearModel": GeneralizedLinearModel,
    "GradientBoostingClassifier": GradientBoostingClassifier,
    "GradientBoostingRegressor": GradientBoostingRegressor,
    "HalfspaceClassifier": HalfspaceClassifier,
    "HuberRegressor": HuberRegressor,
    "HurdleRegressor": HurdleRegressor,
    "KNeighborsClassifier": KNeighborsClassifier,
    "KNeighborsRegressor": KNeighborsRegressor,
    "KernelLogisticRegression": KernelLogisticRegression,
    "KernelQuantile": KernelQuantile,
    "KernelRidge": KernelRidge,
    "KernelSGDClassifier": KernelSGDClassifier,
    "KernelSmoother": KernelSmoother,
    "Lasso": Lasso,
    "LeastAbsoluteDeviations": LeastAbsoluteDeviations,
    "LinearDiscriminantAnalysis": LinearDiscriminantAnalysis,
    "LinearRegression": LinearRegression,
    "LinearSVC": LinearSVC,
    "LinearSVR": LinearSVR,
    "LogisticRegression": LogisticRegression,
    "MLPClassifier": MLPClassifier,
    "MLPRegressor": MLPRegressor,
    "MixedNB": MixedNB,
    "MultinomialNB": MultinomialNB,
    "OrderedLogit": OrderedLogit,
    "PenalizedRegressor": PenalizedRegressor,
    "Perceptron": Perceptron,
    "PlugInClassifier": PlugInClassifier,
    "PoissonRegressor": PoissonRegressor,
    "QuadraticDiscriminantAnalysis": QuadraticDiscriminantAnalysis,
    "QuantileRegressor": QuantileRegressor,
    "RandomForestClassifier": RandomForestClassifier,
    "RandomForestRegressor": RandomForestRegressor,
    "RegressionMixture": RegressionMixture,
    "Ridge": Ridge,
    "SGDClassifier": SGDClassifier,
    "SGDRegressor": SGDRegressor,
    "SVC": SVC,
    "SVR": SVR,
    "TweedieRegressor": TweedieRegressor,
    "ZeroInflatedRegressor": ZeroInflatedRegressor,
}

__all__ = [
    "REGISTRY",
    "SVC",
    "SVR",
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "BayesClassifier",
    "BayesianGLM",
    "BayesianLinearRegression",
    "BernoulliNB",
    "CategoricalNB",
    "ConditionalLogit",
    "ConstrainedRegressor",
    "CostComplexityPath",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ElasticNet",
    "EquivalentConstraint",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "FormulaModel",
    "GammaRegressor",
    "GaussianNB",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "GeneralizedLinearModel",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HalfspaceClassifier",
    "HuberRegressor",
    "HurdleRegressor",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KernelLogisticRegression",
    "KernelQuantile",
    "KernelRidge",
    "KernelSGDClassifier",
    "KernelSmoother",
    "Lasso",
    "LeastAbsoluteDeviations",
    "LinearDiscriminantAnalysis",
    "LinearRegression",
    "LinearSVC",
    "LinearSVR",
    "LogisticRegression",
    "MLPClassifier",
    "MLPRegressor",
    "MixedNB",
    "MultinomialNB",
    "NetworkGraph",
    "OrderedLogit",
    "Path",
    "PenalizedRegressor",
    "Perceptron",
    "PlugInClassifier",
    "PoissonRegressor",
    "QuadraticDiscriminantAnalysis",
    "QuantileRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RegressionMixture",
    "Ridge",
    "SGDClassifier",
    "SGDRegressor",
    "TweedieRegressor",
    "ZeroInflatedRegressor",
    "equivalent_constraint",
    "export_text",
    "formula",
    "kneighbors_graph",
    "path",
    "radius_graph",
    "verify",
]


def __dir__() -> list[str]:
    return sorted(__all__)
