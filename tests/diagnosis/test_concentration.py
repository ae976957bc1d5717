"""ER220: the ratio against all pairs, the steps before the model, clusters, and what is not looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.diagnosis import Outcome, context
from empirisk.diagnosis.answer import Answer, NotRun
from empirisk.diagnosis.concentration import NEAR, _ratios, concentration_p, distance_concentration


def ask(est: Any, X: Any, y: Any, **more: Any) -> Answer:
    return distance_concentration(context(est, X, y, random_state=0, **more))


@pytest.mark.parametrize("est", [er.KNeighborsRegressor(3), KNeighborsRegressor(3)], ids=["ours", "peer"])
def test_ratios_are_those_of_all_pairs(est: Any, rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(150, 30)), rng.normal(size=150)
    ctx = context(est, X, y, random_state=0)
    ratios, n = _ratios(ctx)
    train, test = ctx.plan.splits[0]
    assert n == len(train)
    for row, ratio in zip(test, ratios, strict=True):
        d = sorted(np.sqrt(((X[train] - X[row]) ** 2).sum(axis=1)))
        far = next(v for v in d if np.mean(np.array(d) <= v) >= 0.95)
        assert ratio == pytest.approx(far / d[0], rel=1e-9)


def test_p_values_count_the_rows_below() -> None:
    ratios = np.array([NEAR - 0.01] * 14 + [NEAR] * 6)
    fires, clear = concentration_p(ratios)
    assert fires == pytest.approx(sum(stats.binom.pmf(b, 20, 0.6) for b in range(14, 21)))
    assert clear == pytest.approx(sum(stats.binom.pmf(b, 20, 0.4) for b in range(15)))


def test_it_fires_in_many_columns_and_is_clear_in_few(rng: np.random.Generator) -> None:
    y = rng.normal(size=200)
    found = ask(er.KNeighborsRegressor(9), rng.normal(size=(200, 1500)), y)
    assert found.outcome is Outcome.FIRES
    assert "are only 1.08 times as far from it as its nearest row" in found.sentence
    found = ask(er.KNeighborsRegressor(9), rng.normal(size=(200, 5)), y)
    assert found.outcome is Outcome.CLEAR


def test_the_steps_before_the_model_make_the_columns(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(200, 1500)), rng.normal(size=200)
    X[:, 0] *= 1e4
    assert ask(KNeighborsRegressor(9), X, y).outcome is Outcome.CLEAR  # one column alone is compared
    nested = make_pipeline(make_pipeline(StandardScaler(), KNeighborsRegressor(9)))
    for est in (make_pipeline(StandardScaler(), KNeighborsRegressor(9)), nested):
        assert ask(est, X, y).outcome is Outcome.FIRES


def test_neighbours_that_predict_are_no_alarm(rng: np.random.Generator) -> None:
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 1000))
    X[:, 0] += 15.0 * y
    found = ask(KNeighborsClassifier(15), X, y)
    assert found.outcome is Outcome.FACT
    assert "neighbours mean something" in found.sentence
    assert ask(KNeighborsClassifier(15), X, rng.permutation(y)).outcome is Outcome.FIRES


def test_copies_rows_far_away_and_equal_rows(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(200, 1500)), rng.normal(size=200)
    X[7] *= 1e3
    assert ask(KNeighborsRegressor(9), X, y).outcome is Outcome.FIRES
    X[100:] = X[:100]  # every row has a copy
    found = ask(er.KNeighborsRegressor(9), X, y)
    assert found.outcome is Outcome.CLEAR
    assert "infinitely many times" in found.sentence
    with pytest.raises(NotRun, match="nearly all rows are equal"):
        ask(KNeighborsRegressor(9), np.ones((200, 3)), y)


def test_one_row_of_a_group_asks(rng: np.random.Generator) -> None:
    X, y, g = rng.normal(size=(300, 4)), rng.normal(size=300), np.repeat(np.arange(150), 2)
    ctx = context(KNeighborsRegressor(9), X, y, groups=g, random_state=0)
    ratios, _ = _ratios(ctx)
    assert len(ratios) == len(np.unique(g[ctx.plan.splits[0][1]]))


def test_what_is_not_looked_at_says_why(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    with pytest.raises(NotRun, match="does not ask for neighbours"):
        ask(Ridge(), X, y)
    with pytest.raises(NotRun, match="does not ask for neighbours"):
        ask(RadiusNeighborsRegressor(9.0), X, y)
    with pytest.raises(NotRun, match="12 rows in a test fold are fewer than 20"):
        ask(KNeighborsRegressor(3), X, y)
    assert er.diagnose(Ridge(), X, y, random_state=0).checks["ER220"].outcome is Outcome.NOT_RUN
    given = context(er.KNeighborsRegressor(3), X, y, random_state=0)
    with pytest.raises(NotRun, match="distances were given"):
        distance_concentration(replace(given, est=er.KNeighborsRegressor(3, metric="precomputed")))
