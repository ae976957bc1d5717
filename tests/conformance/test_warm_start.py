"""warm_start over the registry: who has it, that it ends sooner at the same optimum, and never at another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier

import empirisk as er
from empirisk.estimators import REGISTRY
from empirisk.estimators.linear.base import LinearEstimator
from empirisk.estimators.stochastic.stochastic import StochasticEstimator
from empirisk.results import Kind
from tests.conformance.estimators import FIXED, Use, each, use

CLOSED = "a closed form, or one eigendecomposition: there is nothing to begin"
INSIDE = (
    "an interior point, which ends at a vertex and takes as many steps from near the optimum as from afar"
)
STEPS = "it is defined by the steps from its own start: begun elsewhere it is another model"
COUNTED = "sums over the rows, to which partial_fit adds where that is offered"
ROWS = "its parameters belong to the rows of the fit; other rows have none"
FEW = "a few Newton steps from a start that its parts give"
WITHOUT = {
    "LinearRegression": CLOSED,
    "Ridge": CLOSED,
    "BayesianLinearRegression": CLOSED,
    "KernelRidge": CLOSED,
    "LinearDiscriminantAnalysis": COUNTED,
    "QuadraticDiscriminantAnalysis": COUNTED,
    "GaussianNB": COUNTED,
    "BernoulliNB": COUNTED,
    "CategoricalNB": COUNTED,
    "MultinomialNB": COUNTED,
    "MixedNB": COUNTED,
    "PlugInClassifier": COUNTED,
    "QuantileRegressor": INSIDE,
    "LeastAbsoluteDeviations": INSIDE,
    "HalfspaceClassifier": INSIDE,
    "Perceptron": STEPS,
    "KernelSGDClassifier": STEPS,
    "RegressionMixture": "several random starts, of which the best is kept",
    "KernelLogisticRegression": ROWS,
    "KernelQuantile": ROWS,
    "KernelSmoother": ROWS,
    "KNeighborsClassifier": ROWS,
    "KNeighborsRegressor": ROWS,
    "SVC": ROWS,
    "SVR": ROWS,
    "GaussianProcessClassifier": ROWS,
    "GaussianProcessRegressor": ROWS,
    "BayesianGLM": "its draws begin at the mode, which is found in a few steps",
    "ConditionalLogit": FEW,
    "OrderedLogit": FEW,
    "HurdleRegressor": FEW,
    "ZeroInflatedRegressor": FEW,
    "AdaBoostClassifier": "every round depends on all before: more rounds are asked of staged_predict",
    "AdaBoostRegressor": "every round depends on all before: more rounds are asked of staged_predict",
    "DecisionTreeClassifier": "a tree grows from its root",
    "DecisionTreeRegressor": "a tree grows from its root",
}


def _warm(est: Any) -> bool:
    return isinstance(est, LinearEstimator) and "warm_start" in est.get_params(deep=False)


def _certified(est: Any) -> bool:
    """Return whether the minimum does not depend on where the fit began."""
    return _warm(est) and not isinstance(est, StochasticEstimator)


def table(est: Any, n: int = 200, p: int = 6) -> tuple[Any, Any]:
    """Return rows whose columns have one factor in common, so that solvers need more than one step."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, p)) + rng.normal(size=(n, 1))
    z = X[:, :6] @ np.arange(6) / 6 + 0.5 * rng.normal(size=n)
    return X, (z > 0.0).astype(int) if is_classifier(est) else np.exp(z / 2)


def test_every_estimator_has_it_or_a_reason() -> None:
    having = {name for name, kind in REGISTRY.items() if "warm_start" in kind._get_param_names()}
    assert having.isdisjoint(WITHOUT)
    assert having | set(WITHOUT) == set(REGISTRY)


@each(FIXED, _certified)
def test_the_same_rows_again_are_one_step(est: Any) -> None:
    X, y = table(est)
    model = est.set_params(warm_start=True).fit(X, y)
    first, value = model.n_iter_, model.certificate_.value
    before = model.problem(X, y).value(model._pack(model.problem(X, y)))
    model.fit(X, y)
    if model.solution_.solver != "interior_point":  # whose crossover may not find a vertex at once
        assert model.n_iter_ <= min(first, 1)
    assert model.certificate_.within(model.tol)
    after = model.problem(X, y).value(model._pack(model.problem(X, y)))
    if model.certificate_.kind is Kind.DUALITY_GAP:
        assert abs(after - before) <= max(value, model.certificate_.value)


# A start is of use to these.
SOONER = [
    use("Lasso", alpha=0.05),
    use("Lasso", alpha=0.05, positive=True, fit_intercept=False),
    use("ElasticNet", alpha=0.05),
    use("HuberRegressor", scale=1.0, alpha=0.05, l1_ratio=0.5),
    use("HuberRegressor", scale=1.0, alpha=0.05),
    use("GeneralizedLinearModel", family="negative_binomial", alpha=0.05),
    use("GeneralizedLinearModel", family="gamma"),
    use("PoissonRegressor", alpha=0.05),
    use("PoissonRegressor", alpha=0.05, l1_ratio=1.0),
    use("GammaRegressor", alpha=0.05),
    use("TweedieRegressor", alpha=0.05),
    use("TweedieRegressor", alpha=0.05, solver="lbfgs"),
    use("LinearSVC", alpha=0.02, loss="squared_hinge"),
    use("LinearSVC", alpha=0.02, loss="squared_hinge", penalty="l1"),
    use("LinearSVC", alpha=0.1, solver="sdca"),
    use("LinearSVR", alpha=0.05, epsilon=0.1, loss="squared_epsilon_insensitive"),
    use("ConstrainedRegressor", constraint="l1_ball", radius=0.7, loss="huber"),
    use("PenalizedRegressor", penalty="group_lasso", alpha=0.05, loss="huber"),
    use("LogisticRegression", alpha=0.05),
    use("LogisticRegression", alpha=0.02, l1_ratio=1.0),
]


def test_every_certified_estimator_gets_on_sooner_somewhere() -> None:
    assert {u.kind for u in SOONER} == {name for name, kind in REGISTRY.items() if _certified(kind())}


def shape_of(given: Use) -> tuple[int, int]:
    """Return rows and columns that the solver needs several passes for, and on which a start is of use."""
    est = given.make()
    if getattr(est, "alpha", 1.0) == 0.0:  # more columns than rows would leave the optimum open
        return 60, 10
    # First-order steps are spent near the optimum: what a start saves drowns where they are many.
    first_order = est.solver == "sdca" or given.kind == "ConstrainedRegressor"
    return (160, 60) if first_order else (60, 200)


@pytest.mark.parametrize("given", SOONER, ids=str)
def test_growing_rows_take_fewer_passes_to_the_same_optimum(given: Use) -> None:
    warm = given.make(warm_start=True)
    n, p = shape_of(given)
    X, y = table(warm, n, p)
    passes = {"warm": 0.0, "cold": 0.0}
    for m in range(n - 10, n + 1, 2):
        cold = given.make().fit(X[:m], y[:m])
        warm.fit(X[:m], y[:m])
        assert warm.certificate_.within(warm.tol)
        problem = cold.problem(X[:m], y[:m])
        gap = abs(problem.value(warm._pack(problem)) - problem.value(cold._pack(problem)))
        assert gap <= max(warm.tol, 1e-12) * warm.certificate_.scale
        passes["warm"] += warm.solution_.n_passes if m > n - 10 else 0.0
        passes["cold"] += cold.solution_.n_passes if m > n - 10 else 0.0
    assert passes["warm"] < passes["cold"]


@each(FIXED, _warm)
@pytest.mark.parametrize("change", ["columns", "names", "labels"])
def test_another_problem_starts_anew(est: Any, change: str) -> None:
    X, y = table(est, 120)
    names = list("abcdef")
    first, then = pd.DataFrame(X, columns=names), pd.DataFrame(X[::-1], columns=names)
    other = y[::-1]
    if change == "columns":
        then = then[names[:5]]
    elif change == "names":
        then.columns = pd.Index(names[::-1])
    elif is_classifier(est):
        other = np.array(["no", "yes"])[other]
    else:  # nothing of the fit before is left where there was none
        first, y = then, other
    fresh = type(est)(**est.get_params(deep=False))
    warm = type(est)(**{**est.get_params(deep=False), "warm_start": True})
    if change != "labels" or is_classifier(est):
        warm.fit(first, y)
    warm.fit(then, other)
    fresh.fit(then, other)
    np.testing.assert_array_equal(warm.coef_, fresh.coef_)
    assert warm.n_iter_ == fresh.n_iter_


def test_coefficients_of_other_units_are_left_where_they_are_worse_than_none() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = np.exp(X[:, 0])
    model = er.PoissonRegressor(alpha=0.01, warm_start=True).fit(X / 1e4, y)
    cold = er.PoissonRegressor(alpha=0.01).fit(X, y)
    model.coef_ = model.coef_ + 1e4  # exp(1e4) overflows
    model.fit(X, y)
    np.testing.assert_array_equal(model.coef_, cold.coef_)


def test_every_target_begins_at_its_own_coefficients() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 200)) + rng.normal(size=(60, 1))
    Y = X[:, :2] + 0.5 * rng.normal(size=(60, 2))
    model = er.Lasso(alpha=0.01, warm_start=True, tol=1e-10).fit(X, Y)
    steps, before = model.n_iter_, model.coef_.copy()
    assert model.fit(X, Y).n_iter_ == 1 < steps
    np.testing.assert_allclose(model.coef_, before, atol=1e-8)
    one = er.Lasso(alpha=0.01, tol=1e-10).fit(X, Y[:, :1])
    np.testing.assert_array_equal(model.fit(X, Y[:, :1]).coef_, one.coef_)  # another shape: anew


def test_levels_of_a_factor_are_names() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": rng.normal(size=90), "g": np.array(["a", "b", "c"])[rng.integers(0, 3, 90)]})
    y = np.exp(frame["x"].to_numpy() + (frame["g"] == "b"))
    model = er.GammaRegressor(alpha=0.01, warm_start=True).fit(frame, y)
    assert model.fit(frame, y).n_iter_ == 1
    other = frame.assign(g=frame["g"].replace({"b": "d"}))
    cold = er.GammaRegressor(alpha=0.01).fit(other, y)
    np.testing.assert_array_equal(model.fit(other, y).coef_, cold.coef_)
