"""The estimators under test: every class of the registry, in each of the ways that it can be used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

from empirisk.estimators import REGISTRY
from empirisk.estimators.likelihood.base import LikelihoodEstimator
from empirisk.penalties import Box, SortedL1


@dataclass(frozen=True)
class Use:
    """An estimator class with parameters; `name` is the test id."""

    kind: str
    params: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}({', '.join(f'{k}={v}' for k, v in self.params)})"

    def __hash__(self) -> int:  # a parameter may be a mapping
        return hash(str(self))

    def make(self, **more: Any) -> Any:
        """Return a fresh estimator with these parameters, some of them replaced."""
        return REGISTRY[self.kind](**{**dict(self.params), **more})


def use(kind: str, **params: Any) -> Use:
    """Return the use of an estimator, its parameters given as keywords."""
    return Use(kind, tuple(params.items()))


# With a number as strength: the fit is one convex problem, free of folds and of the scale of the weights.
FIXED = [
    use("LinearRegression"),
    use("LinearRegression", positive=True),
    use("LinearRegression", fit_intercept=False),
    use("Ridge", alpha=0.05),
    use("Ridge", alpha=0.05, positive=True),
    use("Lasso", alpha=0.05),
    use("Lasso", alpha=0.05, positive=True, fit_intercept=False),
    use("ElasticNet", alpha=0.05),
    use("QuantileRegressor", q=0.3),
    use("QuantileRegressor", alpha=0.02, fit_intercept=False),
    use("LeastAbsoluteDeviations"),
    use("LeastAbsoluteDeviations", alpha=0.05, l1_ratio=0.0),
    use("HuberRegressor"),
    use("HuberRegressor", scale=1.0, alpha=0.02, l1_ratio=0.5),
    use("HuberRegressor", scale="joint", delta=1.5),
    use("HalfspaceClassifier"),
    use("GeneralizedLinearModel"),
    use("GeneralizedLinearModel", family="poisson", alpha=0.1),
    use("GeneralizedLinearModel", family="negative_binomial", alpha=0.05, fit_intercept=False),
    use("PoissonRegressor", alpha=0.05),
    use("PoissonRegressor", alpha=0.05, l1_ratio=1.0),
    use("GammaRegressor", alpha=0.05),
    use("GammaRegressor", alpha=0.05, l1_ratio=0.5, fit_intercept=False),
    use("TweedieRegressor", alpha=0.05),
    use("LinearSVC", alpha=0.05),
    use("LinearSVC", alpha=0.02, loss="squared_hinge", fit_intercept=False),
    use("LinearSVC", alpha=0.02, loss="squared_hinge", penalty="l1"),
    use("LinearSVC", alpha=0.02, penalty="l1"),
    use("LinearSVC", alpha=0.02, loss="modified_huber"),
    use("LinearSVR", alpha=0.05, epsilon=0.1),
    use("LinearSVR", alpha=0.05, epsilon=0.1, loss="squared_epsilon_insensitive"),
    use("LinearSVR", alpha=0.02, epsilon=0.1, l1_ratio=0.5, fit_intercept=False),
    use("ConstrainedRegressor", radius=0.5),
    use("ConstrainedRegressor", constraint="l1_ball", radius=0.7, loss="huber"),
    use("ConstrainedRegressor", constraint=Box(-0.2, 90.0), fit_intercept=False),
    use("PenalizedRegressor", penalty="group_lasso", alpha=0.05),
    use("PenalizedRegressor", penalty=SortedL1(0.1), loss="huber"),
    use("LogisticRegression", alpha=0.05),
    use("LogisticRegression", alpha=0.02, l1_ratio=1.0),
    use("LogisticRegression", alpha=0.02, l1_ratio=0.5, fit_intercept=False),
    # To the end: without a tolerance the order of the rows shows.
    use("SGDClassifier", loss="logistic", alpha=0.05, n_epochs=5, tol=1e-9),
    use("SGDClassifier", loss="logistic", alpha=0.02, l1_ratio=0.5, n_epochs=5, tol=1e-9),
    use("SGDRegressor", alpha=0.05, n_epochs=5, tol=1e-9),
    use("SGDRegressor", loss="huber", alpha=0.05, l1_ratio=0.5, fit_intercept=False, n_epochs=5, tol=1e-9),
]
# As users write them; here "1/n" and "cv" come in.
AS_WRITTEN = [
    use("LinearRegression"),
    use("Ridge"),
    use("Ridge", alpha="cv"),
    use("Lasso"),
    use("Lasso", alpha=0.1),
    use("ElasticNet"),
    use("ElasticNet", alpha=0.1, l1_ratio=0.3),
    use("QuantileRegressor"),
    use("QuantileRegressor", alpha="cv", alphas=10),
    use("LeastAbsoluteDeviations", alpha="1/n"),
    use("HuberRegressor", alpha="1/n", scale="joint"),
    use("HalfspaceClassifier", fit_intercept=False),
    use("HuberRegressor", alpha="cv", alphas=10),
    use("GeneralizedLinearModel", family="inverse_gaussian", alpha="1/n"),
    use("PoissonRegressor"),
    use("PoissonRegressor", alpha="cv", alphas=20),
    use("GammaRegressor"),
    use("TweedieRegressor"),
    use("LinearSVC"),
    use("LinearSVC", loss="squared_hinge", class_weight="balanced"),
    use("LinearSVC", alpha="cv", alphas=5, loss="squared_hinge"),  # the intercept of the hinge is not unique
    use("LinearSVR"),
    use("LinearSVR", alpha="cv", alphas=5),
    use("ConstrainedRegressor"),
    use("ConstrainedRegressor", constraint="simplex"),
    use("PenalizedRegressor"),
    use("PenalizedRegressor", penalty="group_lasso", alpha="cv", alphas=10),
    use("LogisticRegression"),
    use("LogisticRegression", alpha="cv", alphas=20),
    use("LogisticRegression", alpha=0.05, l1_ratio=1.0),
    use("LogisticRegression", class_weight="balanced"),
    use("SGDClassifier", loss="logistic", alpha=0.01, n_epochs=20, tol=1e-9),
    use("SGDClassifier", loss="modified_huber", alpha=0.01, n_epochs=20, tol=1e-9),
    use("SGDRegressor", n_epochs=20, tol=1e-9),
]
ALL = list(dict.fromkeys([*FIXED, *AS_WRITTEN]))
# Defined by their steps and not by a problem: weights are not repetition, and the order of the rows matters.
BY_STEPS = [
    use("Perceptron"),
    use("Perceptron", variant="pocket", n_epochs=20),
    use("Perceptron", variant="last", fit_intercept=False),
]


def each(uses: list[Use], only: Callable[[Any], bool] = lambda est: True) -> pytest.MarkDecorator:
    """Run a test on an estimator of each use for which `only` holds."""
    chosen = [(u.make(), str(u)) for u in uses if only(u.make())]
    return pytest.mark.parametrize("est", [est for est, _ in chosen], ids=[name for _, name in chosen])


def is_regression(est: Any) -> bool:
    """Return the opposite of scikit-learn's is_classifier: what does not predict classes predicts numbers."""
    return not is_classifier(est)


def has_intercept(est: Any) -> bool:
    """Return whether the estimator fits a constant that is not penalised."""
    return bool(est.fit_intercept)


def exact(est: Any) -> bool:
    """Whether the fit goes to the optimum by linear algebra: not by steps along rows."""
    return not type(est).__name__.startswith("SGD")


@dataclass(frozen=True)
class Data:
    """Features and a target that suits the estimator."""

    X: np.ndarray
    y: np.ndarray


def data_for(est: Any, rng: np.random.Generator, n: int = 60, p: int = 5, classes: int = 3) -> Data:
    """Correlated columns with unlike means and scales; classes overlap."""
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3) * np.linspace(0.5, 2.0, p) + np.linspace(-1.0, 2.0, p)
    asked = get_tags(est).input_tags
    X = np.abs(X) if asked.positive_only else X
    X = np.round(X) if asked.categorical and asked.allow_nan else X
    for j in kinds if isinstance(kinds := getattr(est, "kinds", None), dict) else ():
        X[:, j] = np.round(X[:, j])  # categories
    if is_classifier(est):
        classes = classes if get_tags(est).classifier_tags.multi_class else 2
        scores = X @ rng.normal(size=(p, classes)) / p + rng.gumbel(size=(n, classes))
        scores = scores - scores.mean(axis=0) if hasattr(est, "priors") else scores  # no class of few rows
        codes = scores.argmax(axis=1)
        codes[:classes] = np.arange(classes)
        return Data(X, np.array(["ash", "birch", "cedar", "elm"])[codes])
    z = X @ np.linspace(1.0, -0.5, p)
    if hasattr(est, "n_components"):  # a mixture: every third row follows another line
        z = np.where(np.arange(n) % 3 == 0, 8.0 - 3.0 * X[:, 0], z)
        return Data(X, z + 0.3 * rng.normal(size=n))
    if hasattr(est, "zero_columns"):  # counts with zeros of their own
        return Data(X, rng.poisson(np.exp(0.2 * z + 1.0)) * (rng.random(n) < 0.7) * 1.0)
    if get_tags(est).target_tags.positive_only:
        return Data(X, np.round(np.exp(0.2 * z + 0.5 * rng.normal(size=n) + 1.0), 1) + 0.1)
    return Data(X, z + rng.normal(size=n) + 4.0)


def fit(est: Any, X: Any, y: Any, **more: Any) -> Any:
    """A fitted clone, solved far beyond the default tolerance so that equal problems show equal answers."""
    return clone(est).set_params(tol=1e-13).fit(X, y, **more)


def parameters(est: Any) -> np.ndarray:
    """Coefficients and intercepts in one vector; all parameters of a likelihood of several."""
    if isinstance(est, LikelihoodEstimator):
        return est._public(None)[1].astype(float)
    return np.concatenate([np.ravel(est.coef_), np.ravel(est.intercept_)]).astype(float)


def assert_same_fit(a: Any, b: Any, atol: float = 2e-6) -> None:
    """Equal parameters up to what a gap of 1e-13 leaves open (its square root)."""
    np.testing.assert_allclose(parameters(a), parameters(b), rtol=2e-6, atol=atol)
