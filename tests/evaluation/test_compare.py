"""er.compare and its relatives: paired differences of two models."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.svm import LinearSVC

from empirisk.selection import (
    METRICS,
    compare,
    compare_cross,
    compare_fitted,
    cross_evaluate,
    intervals,
)


@pytest.fixture(scope="module")
def labelled() -> tuple[np.ndarray, np.ndarray]:
    """Two informative columns out of four."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(240, 4))
    return X, np.where(X[:, 0] - X[:, 1] + rng.normal(size=240) > 0, "yes", "no")


def test_difference_by_hand(rng: np.random.Generator) -> None:
    X = rng.normal(size=(90, 3))
    y = X @ [1.0, 0.5, 0.0] + rng.normal(size=90)
    a, b = Ridge(1.0), Ridge(100.0)
    c = compare(a, b, X, y, random_state=0)
    first, second = (
        cross_evaluate(m, X, y, metrics="mse", repeats=3, random_state=0).losses("mse") for m in (a, b)
    )
    d = first - second
    se = math.sqrt(np.mean(d.var(axis=1, ddof=1)) / 90 * 5 / 4)
    half = stats.t.ppf(0.975, 89) * se
    assert c.difference.value == pytest.approx(d.mean())
    assert (c.difference.low, c.difference.high) == pytest.approx((d.mean() - half, d.mean() + half))
    assert c.probability_a_better == pytest.approx(stats.t.cdf(-d.mean() / se, 89))
    assert (c.better, c.metric) == ("a", "mse")
    assert c.names == ("Ridge (a)", "Ridge (b)")
    assert "is better" in c.sentence
    assert repr(c).startswith(c.sentence)
    swapped = compare(b, a, X, y, random_state=0)
    assert swapped.difference.low == pytest.approx(-c.difference.high)
    assert swapped.better == "b"


@pytest.mark.parametrize("metric", [n for n, m in METRICS.items() if m.task == "classification"])
def test_every_metric_sees_a_clear_difference(labelled: tuple[np.ndarray, np.ndarray], metric: str) -> None:
    X, y = labelled
    baseline = DummyClassifier(strategy="stratified", random_state=0)
    c = (
        compare(LogisticRegression(), baseline, X, y, metric=metric, random_state=0)
        if "log_loss" not in metric
        else None
    )
    if c is None:  # the stratified dummy is certain and wrong: an infinite loss is not a difference
        c = compare(LogisticRegression(), baseline, X, y, metric=metric, random_state=0)
        assert "infinite" in c.difference.reason
        assert c.better is None
        return
    assert c.better == "a"
    assert c.probability_a_better > 0.99
    grouped = compare(
        LogisticRegression(), baseline, X, y, metric=metric, random_state=0, groups=np.arange(240) // 6
    )
    assert grouped.better == "a"
    assert "new groups" in grouped.difference.target


def test_twins_are_told_apart_in_no_way(labelled: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = labelled
    c = compare(LogisticRegression(), LogisticRegression(), X, y, metric="accuracy", random_state=0)
    assert (c.better, c.probability_a_better, c.difference.low) == (None, None, None)
    assert "no difference seen on 240 rows" in c.sentence
    near = compare(LogisticRegression(), LogisticRegression(C=0.9), X, y, metric="accuracy", random_state=0)
    assert near.difference.low is None
    same_losses = compare(LogisticRegression(), LogisticRegression(), X, y, random_state=0)
    assert same_losses.difference.low is None
    alike = compare(LogisticRegression(), LogisticRegression(), X, y, metric="roc_auc", random_state=0)
    assert "alike" in alike.difference.reason


def test_default_metric_and_repeats(labelled: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = labelled
    assert compare(LogisticRegression(), DummyClassifier(), X, y, random_state=0).metric == "log_loss"
    c = compare(LogisticRegression(), LinearSVC(), X, y, random_state=0)
    assert c.metric == "accuracy"
    assert "5-fold cross-validation, 2 times," in c.a.method
    numbers = compare(LinearRegression(), DummyRegressor(), X[:90], X[:90, 0], random_state=0)
    assert "5-fold cross-validation, 3 times," in numbers.a.method


def test_one_splitter_means_the_same_folds_for_both(labelled: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = labelled
    # Without a seed each walk over this splitter gives other folds; the twins must still agree row by row.
    c = compare(
        LogisticRegression(), LogisticRegression(), X, y, cv=KFold(5, shuffle=True), metric="accuracy"
    )
    assert "no difference seen" in c.difference.reason
    generator = KFold(4, shuffle=True, random_state=0).split(X)
    assert compare(LogisticRegression(), DummyClassifier(), X, y, cv=generator).better == "a"


def test_random_splits_and_one_split(labelled: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = labelled
    cv = ShuffleSplit(8, test_size=0.25, random_state=0)
    c = compare(LogisticRegression(), DummyClassifier(), X, y, cv=cv)
    first, second = (cross_evaluate(m, X, y, cv=cv) for m in (LogisticRegression(), DummyClassifier()))
    scores = first.fold_scores("log_loss") - second.fold_scores("log_loss")
    assert c.difference.low == pytest.approx(intervals.nadeau_bengio(scores, 1 / 3, 240).low)
    assert c.better == "a"
    one = compare(LogisticRegression(), DummyClassifier(), X, y, cv=[(np.arange(120), np.arange(120, 240))])
    fitted = (m.fit(X[:120], y[:120]) for m in (LogisticRegression(), DummyClassifier()))
    held = compare_fitted(*fitted, X[120:], y[120:])
    assert one.difference.low == pytest.approx(held.difference.low)
    assert held.difference.n == 120


def test_fitted_models_on_held_out_rows(labelled: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = labelled
    a, b = LogisticRegression().fit(X[:100], y[:100]), LogisticRegression(C=1e-3).fit(X[:100, :], y[:100])
    c = compare_fitted(a, b, X[100:], y[100:], metric="accuracy")
    right_a, right_b = a.predict(X[100:]) == y[100:], b.predict(X[100:]) == y[100:]
    expected = intervals.tango(int((right_a & ~right_b).sum()), int((~right_a & right_b).sum()), 140)
    assert (c.difference.low, c.difference.high) == (expected.low, expected.high)
    loss = compare_fitted(a, b, X[100:], y[100:])
    t = stats.ttest_1samp(
        np.log(b.predict_proba(X[100:]))[np.arange(140), (y[100:] == "yes").astype(int)]
        - np.log(a.predict_proba(X[100:]))[np.arange(140), (y[100:] == "yes").astype(int)],
        0.0,
    )
    assert (loss.difference.low, loss.difference.high) == pytest.approx(tuple(t.confidence_interval(0.95)))
    assert loss.probability_a_better == pytest.approx(stats.t.cdf(-t.statistic, 139))
    grouped = compare_fitted(a, b, X[100:], y[100:], groups=np.arange(140) // 7, metric="roc_auc")
    assert "new groups" in grouped.difference.target


def test_paired_auc_is_delong(labelled: tuple[np.ndarray, np.ndarray]) -> None:
    # The covariance form of DeLong for two areas, from every pair of rows.
    X, y = labelled
    positive = y == "yes"
    scores = [X[:, 0], X[:, 0] - X[:, 1]]
    wins = [(s[positive][:, None] > s[~positive]).astype(float) for s in scores]
    d10, d01 = (wins[0].mean(1) - wins[1].mean(1)), (wins[0].mean(0) - wins[1].mean(0))
    variance = d10.var(ddof=1) / d10.size + d01.var(ddof=1) / d01.size

    class Column(LogisticRegression):
        def decision_function(self, Z: Any) -> np.ndarray:
            return scores[self.max_iter]

    a, b = (Column(max_iter=1).set_params(max_iter=1).fit(X, y) for _ in range(2))
    a.max_iter, b.max_iter = 0, 1
    c = compare_fitted(a, b, X, y, metric="roc_auc")
    assert c.difference.value == pytest.approx(wins[0].mean() - wins[1].mean())
    width = 2 * stats.t.ppf(0.975, 200) * math.sqrt(variance)
    assert c.difference.high - c.difference.low == pytest.approx(width, rel=0.02)


def test_errors(labelled: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = labelled
    with pytest.raises(TypeError, match="classifier cannot be compared with a regressor"):
        compare(LogisticRegression(), LinearRegression(), X, y)
    with pytest.raises(ValueError, match="metric 'acc' is unknown"):
        compare(LogisticRegression(), DummyClassifier(), X, y, metric="acc")
    with pytest.raises(ValueError, match="mse is for regression"):
        compare(LogisticRegression(), DummyClassifier(), X, y, metric="mse")
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba"):
        compare(LogisticRegression(), LinearSVC(), X, y, metric="log_loss")
    runs = [cross_evaluate(LogisticRegression(), X, y, repeats=1, random_state=k) for k in (0, 1)]
    with pytest.raises(ValueError, match="different folds"):
        compare_cross(*runs, "accuracy")
