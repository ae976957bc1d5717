"""Tuning within a budget: every estimator has ranges, the corrected score is that of a grid, rounds go on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge as ForeignRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.estimators import REGISTRY
from empirisk.search.points import draw_points
from empirisk.search.tuning.ranges import NOTHING, RANGES, prunings
from empirisk.search.tuning.tuner import Tuner
from empirisk.selection import GridSearch, LogUniform
from tests.conformance.estimators import data_for


def noisy(n: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A straight line in one of three columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + rng.normal(size=n)


def rows_for(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows that suit an estimator of the registry."""
    rows = 60 if kind != "RegressionMixture" else 200  # three lines in each part of the folds
    data = data_for(REGISTRY[kind](), np.random.default_rng(0), rows)
    if kind == "ZeroInflatedRegressor":
        data.y[::3] = 0.0  # more zeros than the law of the counts has
    return data.X, data.y if kind != "BayesianGLM" else (data.y > 4.0).astype(float)  # its family is binomial


def test_every_estimator_has_ranges_or_a_reason() -> None:
    assert set(RANGES) | set(NOTHING) == set(REGISTRY)
    assert not set(RANGES) & set(NOTHING)


@pytest.mark.parametrize("kind", sorted(RANGES))
def test_ranges_name_settings_that_exist(kind: str) -> None:
    space, model = RANGES[kind], REGISTRY[kind]()
    X, y = rows_for(kind)
    draws = space.draws(model, X, y) if callable(space.draws) else space.draws
    assert draws or space.path
    known = set(model.get_params(deep=False))
    assert {*draws, *space.fixed, *([space.path] if space.path else [])} <= known
    rng = np.random.default_rng(0)
    for point in draw_points(draws, 5, rng) if draws else [{}]:
        model.set_params(**space.fixed, **point)


@pytest.mark.full  # every estimator is fitted on every fold
@pytest.mark.parametrize("kind", sorted(RANGES))
def test_every_estimator_is_tuned(kind: str) -> None:
    X, y = rows_for(kind)
    found = er.tune(REGISTRY[kind](), X, y, budget=6, cv=3, progress=False)
    assert found.fits <= 6
    assert len(found.result.points) > 1
    assert not any(found.result.errors)


def test_a_budget_in_fits_gives_the_same_answer_each_time() -> None:
    X, y = noisy()
    one, two = (er.tune(er.KNeighborsRegressor(), X, y, budget=10, progress=False) for _ in range(2))
    assert one.fits == two.fits == 10
    assert one.params == two.params
    assert one.score == two.score
    again = er.KNeighborsRegressor(**one.params).fit(X, y)
    np.testing.assert_array_equal(one.model.predict(X), again.predict(X))
    np.testing.assert_array_equal(one.predict(X), again.predict(X))
    assert len(one.to_frame()) == len(one.result.points)
    assert "fits on a fold" in repr(one)
    assert "corrected for having chosen" in one.to_markdown()


@pytest.mark.full  # searches of their own
def test_the_score_is_that_of_a_grid_of_the_same_trials() -> None:
    X, y = noisy()
    found = er.tune(er.Lasso(), X, y, budget=5, racing=None, progress=False)
    grid = [{k: [v] for k, v in point.items()} for point in found.result.points]
    right = GridSearch(er.Lasso(), grid, repeats=1, random_state=0, progress=False).fit(X, y)
    assert right.best_params_ == found.params
    np.testing.assert_allclose(
        [right.best_score_.value, right.best_score_.low, right.best_score_.high],
        [found.score.value, found.score.low, found.score.high],
        rtol=1e-4,  # single fits and paths agree up to the tolerance of a solve
    )


@pytest.mark.full  # searches of their own
def test_names_in_pipelines_and_spaces_of_users() -> None:
    X, y = noisy()
    found = er.tune(make_pipeline(StandardScaler(), er.Ridge()), X, y, budget=5, progress=False)
    assert set(found.params) == {"ridge__alpha"}
    space = {"alpha": LogUniform(1e-2, 1e2)}
    foreign = er.tune(ForeignRidge(), X, y, budget=20, space=space, progress=False)
    assert 1e-2 <= foreign.model.alpha <= 1e2
    assert foreign.result.points[0] == {}
    with pytest.raises(TypeError, match="tune has no ranges for Ridge: give space="):
        er.tune(ForeignRidge(), X, y)
    with pytest.raises(TypeError, match="nothing to choose for LinearRegression: it has no setting"):
        er.tune(er.LinearRegression(), X, y)


@pytest.mark.parametrize("budget", [0, True, 2.5, "soon", "0 s", None])
def test_budgets_that_are_none_are_refused(budget: Any) -> None:
    with pytest.raises(ValueError, match="budget must be a number of fits >= 1"):
        er.tune(er.Ridge(), *noisy(), budget=budget)


@pytest.mark.full  # several growths of boosted trees
def test_rounds_go_on_while_they_are_shown_to_help() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(300, 2))
    y = np.sin(3.0 * X[:, 0]) + X[:, 1] ** 2 + 0.05 * rng.normal(size=300)
    slow = er.GradientBoostingRegressor(learning_rate=0.02, min_samples_leaf=5)
    found = er.tune(slow, X, y, budget=20, progress=False)
    own = [p["n_estimators"] for p in found.result.points if "learning_rate" not in p]
    assert max(own) > 60  # a fifth of the rows: what is tried at first
    at_first = er.cross_evaluate(slow.set_params(n_estimators=60, early_stopping=False), X, y, random_state=0)
    assert found.score.high < at_first["mse"].low
    noise = rng.normal(size=300)
    ended = er.tune(slow, X, noise, budget=5, progress=False)
    assert max(p["n_estimators"] for p in ended.result.points) == 60


def test_prunings_lie_between_the_steps_of_the_path() -> None:
    X, y = noisy()
    tree = er.DecisionTreeRegressor(min_samples_leaf=20)
    steps = np.unique(tree.set_params(alpha=0.0).cost_complexity_path(X, y).alpha)
    found = prunings(tree, X, y)
    assert found == sorted(found, reverse=True)
    inside = [(steps < a).sum() for a in found]
    assert sorted(inside) == list(range(min(inside), min(inside) + len(found)))


def test_a_time_ends_the_search() -> None:
    X, y = noisy()
    found = er.tune(er.KNeighborsRegressor(), X, y, budget="0.001 s", progress=False)
    assert found.fits == 5
    assert Tuner.__module__ == "empirisk.search.tuning.tuner"


def test_the_best_settings_of_boosting_are_tried_with_shorter_steps() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(120, 2))
    y = rng.normal(size=120)  # noise: no more rounds are wanted, and the budget is for steps alone
    found = er.tune(er.GradientBoostingRegressor(), X, y, budget=9, cv=3, racing=None, progress=False)
    rates = [p.get("learning_rate", 0.1) for p in found.result.points]
    assert found.fits == 9  # three settings: as given, a half of the step, a quarter of it
    assert sorted(set(rates)) == pytest.approx([0.025, 0.05, 0.1])
    rounds = [max(p["n_estimators"] for p, r in zip(found.result.points, rates, strict=True) if r == rate)
              for rate in (0.1, 0.05, 0.025)]  # fmt: skip
    assert rounds[2] == pytest.approx(2 * rounds[1], abs=2)
    assert rounds[1] >= 6
