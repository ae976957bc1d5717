"""Plug-in rules: their regressions, the projection on the simplex, and the bound on the excess risk."""

from __future__ import annotations

from inspect import signature
from itertools import product

import numpy as np
import pytest
from sklearn.base import is_regressor
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor as Neighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import empirisk as er
from empirisk.distributions import Gaussian
from empirisk.estimators import REGISTRY as ESTIMATORS
from empirisk.estimators.bayes.plug_in import on_simplex
from empirisk.estimators.clusters import REGISTRY as CLUSTERERS
from empirisk.estimators.unsupervised import REGISTRY as UNSUPERVISED


@parametrize_with_checks([er.PlugInClassifier(), er.PlugInClassifier(er.DecisionTreeRegressor(max_depth=3))])
def test_scikit_learn_contract(estimator: object, check: object) -> None:
    check(estimator)  # type: ignore[operator]


def test_the_regressions_are_those_of_the_indicators(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(60, 2)), np.array(["a", "b", "c"])[np.arange(60) % 3]
    s = rng.integers(0, 3, 60) * 1.0
    rule = er.PlugInClassifier(er.Ridge(0.1)).fit(X, y, sample_weight=s)
    told = np.stack([er.Ridge(0.1).fit(X, y == c, sample_weight=s).predict(X) for c in "abc"], axis=1)
    np.testing.assert_array_equal(rule.predict(X), np.array(["a", "b", "c"])[told.argmax(axis=1)])
    np.testing.assert_allclose(rule.predict_proba(X), on_simplex(told))
    two = er.PlugInClassifier(er.Ridge(0.1)).fit(X, y == "a")
    one = np.clip(er.Ridge(0.1).fit(X, y == "a").predict(X), 0.0, 1.0)
    np.testing.assert_allclose(two.predict_proba(X)[:, 1], one, atol=1e-12)


def test_the_projection_is_the_nearest_point(rng: np.random.Generator) -> None:
    for v in rng.normal(size=(20, 4)) * [0.1, 1.0, 3.0, 0.5]:
        told = on_simplex(v[None])[0]
        tried = []
        for kept in product([False, True], repeat=4):  # every set of entries above 0 gives one candidate
            on = np.array(kept)
            if on.any():
                tried.append(np.where(on, v - (v[on].sum() - 1.0) / on.sum(), 0.0))
        near = min((p for p in tried if p.min() >= 0.0), key=lambda p, v=v: ((p - v) ** 2).sum())
        np.testing.assert_allclose(told, near, atol=1e-14)
        assert told.argmax() == v.argmax()


def test_excess_risk_is_at_most_twice_the_mean_error_of_the_regression(rng: np.random.Generator) -> None:
    """A known law on six points: every estimate of the chances has its exact risks."""
    chance, mass = rng.random(6), np.full(6, 1 / 6)
    X = np.repeat(np.eye(6), 40, axis=0)
    for _ in range(10):
        y = rng.random(240) < np.repeat(chance, 40)
        rule = er.PlugInClassifier(er.Ridge(0.05, fit_intercept=False)).fit(X, y)
        estimate = rule.predict_proba(np.eye(6))[:, 1]
        risk = mass @ np.where(rule.predict(np.eye(6)), 1.0 - chance, chance)
        assert (
            risk - mass @ np.minimum(chance, 1.0 - chance) <= 2.0 * mass @ np.abs(estimate - chance) + 1e-12
        )


def test_the_theorem_holds_on_a_law_whose_bayes_risk_is_known(rng: np.random.Generator) -> None:
    """Two and three Gaussians: excess risks by sums over a fine grid, for regressions from poor to good."""
    for model in (
        {0: Gaussian(-1.0), 1: Gaussian(1.0)},
        {0: Gaussian(-2.0), 1: Gaussian(0.0), 2: Gaussian(2.0)},
    ):
        best = er.BayesClassifier(model).fit()
        grid = np.linspace(-9.0, 9.0, 36_001)[:, None]
        mass = np.exp([law.log_prob(grid) for law in model.values()]).mean(axis=0) * 18.0 / 36_000
        eta = best.predict_proba(grid)
        for regressor in (
            er.Ridge(3.0),
            er.LinearRegression(),
            er.DecisionTreeRegressor(max_depth=3),
            Neighbors(40),
        ):
            rule = er.PlugInClassifier(regressor).fit(*best.sample(600, rng))
            risk = mass @ (1.0 - np.take_along_axis(eta, rule.predict(grid)[:, None], axis=1)[:, 0])
            off = mass @ np.abs(rule._regressed(grid) - eta)
            excess = risk - best.bayes_risk_.value
            assert -1e-6 < excess <= off.sum() + 1e-6
            if len(model) == 2:
                assert excess <= 2.0 * off[1] + 1e-6
                assert off[1] >= mass @ np.abs(rule.predict_proba(grid)[:, 1] - eta[:, 1]) - 1e-12


def test_a_fit_that_fails_leaves_the_one_before() -> None:
    X = np.arange(8.0)[:, None]
    rule = er.PlugInClassifier().fit(X, X[:, 0] > 3.0)
    told = rule.predict_proba(X)
    with pytest.raises(ValueError, match="NaN"):
        rule.fit(X * np.nan, X[:, 0] > 3.0)
    np.testing.assert_array_equal(rule.predict_proba(X), told)


def test_what_is_no_regressor_is_refused() -> None:
    X, y = np.eye(4), [0, 1, 0, 1]
    for bad in (er.Ridge, "ridge", 3):
        with pytest.raises(TypeError, match=r"^regressor must be an estimator with fit and predict"):
            er.PlugInClassifier(bad).fit(X, y)
    with pytest.raises(
        TypeError, match="regressor must predict numbers, and LogisticRegression predicts classes"
    ):
        er.PlugInClassifier(er.LogisticRegression()).fit(X, y)
    with pytest.raises(TypeError, match="KNeighborsRegressor takes no sample_weight: leave the weights out"):
        er.PlugInClassifier(Neighbors(2)).fit(X, y, sample_weight=np.ones(4))
    with pytest.raises(TypeError, match="PlugInClassifier has no certificate that could be verified"):
        er.verify(er.PlugInClassifier().fit(X, y), X, y)


@pytest.mark.parametrize("name", list(ESTIMATORS) + list(UNSUPERVISED) + list(CLUSTERERS))
def test_every_estimator_that_is_no_regressor_is_refused_through_pipelines_and_searches(name: str) -> None:
    kind = {**ESTIMATORS, **UNSUPERVISED, **CLUSTERERS}[name]
    needed = [p for p in signature(kind).parameters.values() if p.default is p.empty and p.kind < 2]
    if needed or not hasattr(kind, "predict"):
        pytest.skip("it needs parameters, or predicts nothing")
    one = kind()
    forms = [one, make_pipeline(StandardScaler(), one), GridSearchCV(one, {})]
    for form in forms:
        rule = er.PlugInClassifier(form)
        if is_regressor(one):
            assert rule._recipe() is form
        else:
            with pytest.raises(TypeError, match=r"is no regressor|predicts classes"):
                rule.fit(np.eye(4), [0, 1, 0, 1])


def test_an_estimator_without_tags_is_refused() -> None:
    class Bare:
        def fit(self, X: object, y: object) -> object:
            return self

        def predict(self, X: object) -> object:
            return X

    with pytest.raises(TypeError, match="the tags of scikit-learn's BaseEstimator"):
        er.PlugInClassifier(Bare()).fit(np.eye(2), [0, 1])
