"""What an interval is about is said, and it is the same thing everywhere: the models that were scored."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import ShuffleSplit

import empirisk as er
from empirisk.evaluation.compare import Comparison
from empirisk.evaluation.intervals.tails import l_kurtosis, relative_skewness, tail_note
from empirisk.selection import (
    METRICS,
    best_of,
    compare,
    compare_fitted,
    cross_evaluate,
    evaluate_predictions,
    leave_one_out,
    nested_cross_evaluate,
)


@pytest.fixture(scope="module")
def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Two hundred rows with positive numbers and with labels."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(200, 3))
    mean = np.exp(0.4 * X[:, 0])
    return {
        "regression": (X, rng.gamma(3.0, mean / 3.0)),
        "classification": (X, np.where(X[:, 0] + rng.normal(size=200) > 0, "yes", "no")),
    }


def model_of(task: str) -> Any:
    return er.GammaRegressor() if task == "regression" else LogisticRegression()


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("name", list(METRICS))
def test_every_metric_names_the_rows_that_were_trained_on(
    tables: dict[str, tuple[np.ndarray, np.ndarray]], name: str, grouped: bool
) -> None:
    task = METRICS[name].task
    X, y = tables[task]
    groups = np.arange(200) // 5 if grouped else None
    e = cross_evaluate(model_of(task), X, y, metrics=name, groups=groups, repeats=1, random_state=0)[name]
    assert "of the models scored here, which this algorithm trained on 160 of these 200 rows" in e.target
    assert ("each row counting once" in e.target) == grouped
    c = compare(
        model_of(task), model_of(task), X, y, metric=name, groups=groups, cv=4, repeats=1, random_state=0
    )
    assert "each algorithm trained on 150 of these 200 rows" in c.difference.target
    assert "trained on 150 of these 200 rows" in c.a.target
    assert c.rows == (150, 200)


@pytest.mark.full  # every way
def test_all_ways_to_cross_validate_name_the_size(tables: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    X, y = tables["regression"]
    assert "trained on 199 of these 200 rows" in leave_one_out(Ridge(), X, y)["mse"].target
    assert "trained on 199 of these 200 rows" in leave_one_out(Ridge(), X, y)["r2"].target
    assert "trained on 199 of" in cross_evaluate(Ridge(), X, y, cv="loo", metrics="mae")["mae"].target
    foreign = cross_evaluate(Ridge(), X, y, metrics="neg_median_absolute_error", random_state=0)
    assert "trained on 160 of these 200 rows" in foreign["neg_median_absolute_error"].target
    # A foreign splitter whose training parts leave rows out.
    half = [(np.setdiff1d(np.arange(200), t)[::2], t) for t in np.array_split(np.arange(200), 5)]
    short = cross_evaluate(Ridge(), X, y, cv=half, metrics=["mse", "r2"])
    assert all("trained on 80 of these 200 rows" in e.target for e in short.values())
    c = compare(Ridge(), Ridge(1e3), X, y, cv=half)
    assert (c.rows, "trained on 80 of" in c.difference.target) == ((80, 200), True)
    assert "when trained on 80 rows" in c.sentence
    search = er.selection.GridSearch(Ridge(), {"alpha": [0.1, 1.0]}, random_state=0).fit(X, y)
    assert "trained on 160 of these 200 rows" in search.best_score_.target
    assert "which the search, with the settings that it chose," in search.best_score_.target
    nested = nested_cross_evaluate(search, X, y, metrics="mse", random_state=0)["mse"]
    assert "which the whole procedure, choice of settings included, trained on 160 of these" in nested.target
    curve = er.selection.model_selection_curve(er.Ridge(), X, y, "alpha", [0.1, 1.0], random_state=0)
    assert "trained on 160 of these 200 rows" in curve.validation[0].target
    assert "trained on 160 of these 200 rows" in curve.best_loss.target
    assert "trained on 160 of" in best_of(np.abs(np.random.default_rng(0).normal(size=(200, 3))), 5).target


def test_a_comparison_says_its_size_and_when_more_rows_may_turn_it_around() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1200, 300))
    y = X @ np.full(300, math.sqrt(0.25 / 300.0)) + rng.normal(size=1200)  # 300 weak columns
    c = compare(LinearRegression(), First(), X, y, random_state=0)
    # Exact: 1.457 against 1.254 at 960 rows, 1.336 against 1.252 at 1200.
    assert c.better == "b"
    assert "when trained on 960 rows" in c.sentence
    assert c.may_cross
    assert "may cross before 1,200 rows" in c.sentence
    fitted = compare_fitted(Ridge().fit(X, y), Ridge(1e6).fit(X, y), X, y)
    assert (fitted.rows, fitted.may_cross) == (None, False)
    assert "trained on" not in fitted.sentence
    one = compare(Ridge(), Ridge(1e5), X, y, cv=ShuffleSplit(1, test_size=0.5, random_state=0))
    assert (one.rows, "when trained on 600 rows" in one.sentence) == ((600, 1200), True)


class First(LinearRegression):
    """Least squares on the first five columns."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> First:
        super().fit(X[:, :5], y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return super().predict(X[:, :5])


@pytest.mark.parametrize(
    ("a", "b", "up", "expected"),
    [(1.0, 1.2, False, True), (1.0, 1.3, False, False), (0.9, 0.88, True, True), (0.9, 0.8, True, False)],
)
def test_curves_may_cross_when_the_gap_is_less_than_more_rows_can_save(
    a: float, b: float, up: bool, expected: bool
) -> None:
    e = er.Estimate(a, a - 0.1, a + 0.1, 0.95, 100, "")
    f = er.Estimate(b, b - 0.1, b + 0.1, 0.95, 100, "")
    low, high = (0.01, 0.1) if up else (-0.5, -0.1)
    d = er.Estimate(a - b, low, high, 0.95, 100, "")
    c = Comparison("m", ("A", "B"), e, f, d, 0.99, up, (80, 100))
    assert c.better == "a"
    assert c.may_cross == expected  # 0.8 x 1.2 < 1, 0.8 x 1.3 > 1; 0.8 x 0.12 < 0.1, 0.8 x 0.2 > 0.1


def test_the_note_on_tails_stands_where_the_interval_is_short() -> None:
    rng = np.random.default_rng(0)

    def noted(draw: Any, n: int, errors: bool = True) -> float:
        return float(np.mean([bool(tail_note(draw(n), errors)) for _ in range(100)]))

    for n in (250, 1500):
        assert noted(lambda n: rng.normal(size=n) ** 2, n) <= 0.08
        assert noted(lambda n: np.abs(rng.normal(size=n)), n) == 0.0
        assert noted(lambda n: rng.standard_t(3, size=n) ** 2, n) >= 0.95
        assert noted(lambda n: np.exp(2.0 * rng.normal(size=n)), n) == 1.0
        assert noted(lambda n: rng.exponential(size=n), n, errors=False) <= 0.05
    assert noted(lambda n: rng.normal(size=n) ** 2, 80) == 1.0  # no sample of 80 rows can tell


def test_l_kurtosis_and_skewness_against_exact_values() -> None:
    # Exponential: l2 = 1/2, l4 = 1/12 (Hosking 1990); brute force over subsets for a small sample.
    quantiles = -np.log1p(-(np.arange(20000) + 0.5) / 20000)
    assert l_kurtosis(quantiles) == pytest.approx(1 / 6, abs=2e-3)
    x = np.array([0.0, 1.0, 4.0, 9.0, 11.0, 30.0])
    second = np.mean([b - a for a, b in combinations(x, 2)]) / 2
    fourth = np.mean([d - 3 * c + 3 * b - a for a, b, c, d in combinations(x, 4)]) / 4
    assert l_kurtosis(x[::-1]) == pytest.approx(fourth / second, rel=1e-12)
    assert relative_skewness(x * 1e200) == pytest.approx(relative_skewness(x), rel=1e-12)
    assert relative_skewness(np.ones(5)) == l_kurtosis(np.ones(5)) == 0.0


def test_regression_metrics_of_few_rows_say_what_they_cannot_know() -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(size=120)
    for groups in (None, np.arange(120) // 4):
        ev = evaluate_predictions(y, pred=np.zeros(120), metrics=["mse", "mae", "r2"], groups=groups)
        assert all("120 rows cannot show" in e.reason for e in ev.values())
    sure = evaluate_predictions(y > 0, proba=np.full(120, 0.5), metrics=["brier_score"])
    assert sure["brier_score"].reason == ""


def test_a_class_without_a_hit_still_varies() -> None:
    # 18 of 250 rows are rare, and none was found: its F1 may well be 0.15.
    y = np.repeat([0, 1, 2], [182, 50, 18])
    pred = y.copy()
    pred[y == 2] = 0
    pred[:20] = 1
    e = evaluate_predictions(y, pred=pred, classes=[0, 1, 2], metrics=["f1", "balanced_accuracy"])
    found = e["f1"]
    few = y.copy()
    few[:20], few[-18:-3] = 1, 0
    some = evaluate_predictions(y, pred=few, classes=[0, 1, 2], metrics="f1")["f1"]
    assert found.high - found.value > 0.5 * (some.high - some.value)
    assert found.high - found.value > 0.04  # Wilson for no hit in 38 rows goes up to F1 = 0.17, a third of it
    groups = evaluate_predictions(
        y, pred=pred, classes=[0, 1, 2], metrics="f1", groups=np.random.default_rng(0).integers(0, 60, 250)
    )["f1"]
    assert groups.high - groups.value >= found.high - found.value
    crossed = METRICS["balanced_accuracy"].crossed([_predictions(y, pred)], 5, 0.95)
    assert crossed.high - crossed.value > 0.05


def _predictions(y: np.ndarray, pred: np.ndarray) -> Any:
    from empirisk.evaluation.metrics.predictions import classification

    return classification(y, pred=pred, classes=np.array([0, 1, 2]))
