"""AdaBoost.R2 against its steps by hand, and its accuracy beside scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import AdaBoostRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import empirisk as er
from empirisk.results import Kind

MANY_ROWS = "a fit of 60 trees in each of 5 folds"


def waves(rng: np.random.Generator, n: int = 150) -> tuple[Any, Any]:
    X = rng.uniform(size=(n, 3))
    return X, np.sin(6.0 * X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=n)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_the_steps_by_hand_with_trees_of_scikit_learn(
    loss: str, rate: float, rng: np.random.Generator
) -> None:
    X, y = waves(rng)
    w = np.full(len(y), 1.0 / len(y))
    said, votes, errors, staged = [], [], [], []
    for _ in range(12):
        tree = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, y, sample_weight=w * len(y))
        miss = np.abs(y - tree.predict(X))
        u = miss / miss.max()
        each = {"linear": u, "square": u**2, "exponential": 1.0 - np.exp(-u)}[loss]
        mean = float(w @ each)
        beta = mean / (1.0 - mean)
        w = w * beta ** (rate * (1.0 - each))
        w /= w.sum()
        said.append(tree.predict(X))
        votes.append(rate * np.log(1.0 / beta))
        errors.append(mean)
        # The weighted median, row by row.
        table, mass = np.column_stack(said), np.array(votes)
        below = (mass * (table[:, None, :] <= table[:, :, None])).sum(axis=2)
        enough = below >= 0.5 * mass.sum() * (1.0 - 1e-12)
        staged.append(np.where(enough, table, np.inf).min(axis=1))
    model = er.AdaBoostRegressor(12, loss=loss, learning_rate=rate, max_depth=2).fit(X, y)
    np.testing.assert_allclose(model.estimator_errors_, errors, rtol=1e-9)
    np.testing.assert_allclose(model.estimator_weights_, votes, rtol=1e-9)
    np.testing.assert_allclose(model.predict(X), staged[-1], rtol=1e-9)
    np.testing.assert_allclose(list(model.staged_predict(X)), staged, rtol=1e-9)
    scores = [1.0 - np.mean((y - s) ** 2) / np.var(y) for s in staged]
    np.testing.assert_allclose(list(model.staged_score(X, y)), scores, rtol=1e-9)
    np.testing.assert_allclose([m.predict(X) for m in model], said, rtol=1e-9)


@pytest.mark.parametrize("params", [{}, {"resample": True}, {"loss": "exponential", "learning_rate": 0.3}])
def test_no_more_rows_are_missed_than_the_bound_says(params: Any, rng: np.random.Generator) -> None:
    X, y = waves(rng)
    weight = rng.integers(0, 4, len(y)).astype(float)
    model = er.AdaBoostRegressor(40, max_depth=6, **params).fit(X, y, sample_weight=weight)
    miss = np.abs(model.predict(X) - y)
    bounds = []
    for tau in (0.05, 0.2, 0.5, 1.0):
        share = weight[miss >= tau].sum() / weight.sum()
        bounds.append(model.exceedance_bound(tau))
        assert share <= bounds[-1]
    assert bounds == sorted(bounds, reverse=True)
    assert model.certificate_.kind is Kind.NONE
    assert "minimise no known function" in model.certificate_.claim
    with pytest.raises(ValueError, match="tau"):
        model.exceedance_bound(0.0)


def test_the_bound_says_something_where_members_are_good(rng: np.random.Generator) -> None:
    X, y = waves(rng)
    model = er.AdaBoostRegressor(60, max_depth=8).fit(X, y)
    assert model.exceedance_bound(0.5) < 0.5


@pytest.mark.full(reason=MANY_ROWS)
def test_as_accurate_as_scikit_learn() -> None:
    X, y = load_diabetes(return_X_y=True)
    member = DecisionTreeRegressor(max_depth=3)

    def risks(est: Any) -> Any:
        return (cross_val_predict(est, X, y, cv=5) - y) ** 2

    seeds = [AdaBoostRegressor(member, n_estimators=60, random_state=s) for s in range(3)]
    theirs = np.mean([risks(est) for est in seeds], axis=0)
    for params in ({}, {"resample": True}):
        gap = risks(er.AdaBoostRegressor(60, **params)) - theirs
        assert gap.mean() < 2.0 * gap.std() / np.sqrt(len(y))


def test_rounds_that_end_early_are_told(rng: np.random.Generator) -> None:
    x = np.repeat([0.0, 1.0], 10)[:, None]
    perfect = er.AdaBoostRegressor(5).fit(x, 3.0 * x[:, 0])
    assert len(perfect) == 1
    assert "makes no error" in perfect.certificate_.claim
    np.testing.assert_array_equal(perfect.predict([[0.0], [1.0]]), [0.0, 3.0])
    alike = er.AdaBoostRegressor(5).fit(np.zeros((20, 1)), np.tile([0.0, 1.0], 10))
    assert len(alike) == 1
    assert "not below 1/2" in alike.certificate_.claim
    np.testing.assert_array_equal(alike.predict([[0.0]]), [0.5])
    assert alike.exceedance_bound(0.1) == 1.0


@pytest.mark.parametrize("scale", [1e-150, 1e-3, 1e140])
def test_the_unit_of_the_targets_does_not_matter(scale: float, rng: np.random.Generator) -> None:
    X, y = waves(rng, 60)
    plain = er.AdaBoostRegressor(5).fit(X, y)
    other = er.AdaBoostRegressor(5).fit(X, y * scale)
    np.testing.assert_allclose(other.predict(X) / scale, plain.predict(X), rtol=1e-9)
    np.testing.assert_allclose(other.largest_errors_ / scale, plain.largest_errors_, rtol=1e-9)
    assert other.exceedance_bound(0.5 * scale) == pytest.approx(plain.exceedance_bound(0.5))


def test_members_of_other_kinds(rng: np.random.Generator) -> None:
    X, y = waves(rng, 80)
    weighted = er.AdaBoostRegressor(4, estimator=LinearRegression()).fit(X, y)
    first = LinearRegression().fit(X, y)
    np.testing.assert_allclose(weighted[0].predict(X), first.predict(X), rtol=1e-9)
    drawn = er.AdaBoostRegressor(4, estimator=KNeighborsRegressor(3)).fit(X, y)
    again = er.AdaBoostRegressor(4, estimator=KNeighborsRegressor(3)).fit(X, y)
    np.testing.assert_array_equal(drawn.predict(X), again.predict(X))
    with pytest.raises(TypeError, match="must be a regressor"):
        er.AdaBoostRegressor(estimator=LogisticRegression()).fit(X, y)
    with pytest.raises(ValueError, match="loss must be"):
        er.AdaBoostRegressor(loss="huber").fit(X, y)
    with pytest.raises(AttributeError, match="LinearRegression has none"):
        _ = weighted.feature_importances_


def test_importances_and_trees_by_name(rng: np.random.Generator) -> None:
    X, y = waves(rng)
    frame = pd.DataFrame(X, columns=["wave", "line", "nothing"])
    model = er.AdaBoostRegressor(20).fit(frame, y)
    share = model.feature_importances_
    assert share.sum() == pytest.approx(1.0)
    assert share.argmin() == 2
    assert "wave" in model[0].to_text()
    by_hand = model.estimator_weights_ @ [m.feature_importances_ for m in model]
    np.testing.assert_allclose(share, by_hand / model.estimator_weights_.sum(), rtol=1e-12)
