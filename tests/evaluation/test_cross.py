"""er.cross_evaluate: folds, estimates, out-of-fold losses, foreign splits, groups."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import metrics as sk
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import empirisk as er
from empirisk.evaluation import intervals
from empirisk.evaluation.folds import plan_folds
from empirisk.evaluation.outputs import unpenalised
from empirisk.selection import best_of, cross_evaluate, learning_curve


@pytest.fixture(scope="module")
def cancer() -> tuple[Any, pd.DataFrame, np.ndarray]:
    """A pipeline, and 200 rows with text labels."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return (
        make_pipeline(StandardScaler(), LogisticRegression()),
        X[:200],
        np.where(y == 1, "benign", "malign")[:200],
    )


def test_own_folds_are_partitions_stratified_and_reproducible(rng: np.random.Generator) -> None:
    strata = (rng.random(103) < 0.2).astype(int)
    plan = plan_folds(strata, 103, cv=5, repeats=4, random_state=1)
    assert (plan.folds, plan.repeats, len(plan.splits)) == (5, 4, 20)
    share = strata.sum() / 5
    for r in range(4):
        tests = [plan.splits[j][1] for j in plan.repeat(r)]
        np.testing.assert_array_equal(np.sort(np.concatenate(tests)), np.arange(103))
        assert {t.size for t in tests} <= {20, 21}
        assert all(math.floor(share) <= strata[t].sum() <= math.ceil(share) for t in tests)
    for train, test in plan.splits:
        assert train.size + test.size == 103
        assert not np.intersect1d(train, test).size
    again = plan_folds(strata, 103, cv=5, repeats=4, random_state=1)
    assert plan.same_as(again)
    assert not plan.same_as(plan_folds(strata, 103, cv=5, repeats=4, random_state=2))
    assert not np.array_equal(plan.splits[0][1], plan.splits[5][1])


def test_default_number_of_repeats() -> None:
    assert plan_folds(None, 1000).repeats == 5
    assert plan_folds(None, 1001).repeats == 2
    assert plan_folds(None, 5000, groups=np.arange(5000) // 5).repeats == 5
    assert "covers nearer 91 %" in plan_folds(None, 100, repeats=1).note
    assert "10 folds cover" in plan_folds(None, 100, cv=10).note
    assert plan_folds(None, 5000).note == ""


def test_group_folds_keep_groups_whole_and_classes_spread(rng: np.random.Generator) -> None:
    sizes = rng.integers(1, 9, size=60)
    groups = np.repeat(np.arange(60), sizes)
    strata = (rng.random(60) < 0.3).astype(int)[groups]
    plan = plan_folds(strata, groups.size, groups=groups, random_state=0)
    for train, test in plan.splits:
        assert not np.intersect1d(groups[train], groups[test]).size
        assert abs(strata[test].mean() - strata.mean()) < 0.1
        assert abs(test.size - groups.size / 5) < 0.2 * groups.size / 5
    five = plan_folds(np.zeros(50, int), 50, groups=np.repeat(np.arange(5), 10), random_state=0)
    assert sorted(t.size for _, t in five.splits[:5]) == [10] * 5


def test_out_of_fold_losses_and_values_by_hand(cancer: tuple[Any, pd.DataFrame, np.ndarray]) -> None:
    est, X, y = cancer
    splitter = StratifiedKFold(5, shuffle=True, random_state=0)
    ev = cross_evaluate(est, X, y, cv=splitter)
    proba = cross_val_predict(est, X, y, cv=splitter, method="predict_proba")
    score = cross_val_predict(est, X, y, cv=splitter, method="decision_function")
    pred = cross_val_predict(est, X, y, cv=splitter)
    positive = y == "malign"
    np.testing.assert_allclose(ev.losses("accuracy")[0], pred != y)
    np.testing.assert_allclose(
        ev.losses("log_loss")[0], -np.log(np.where(positive, proba[:, 1], proba[:, 0]))
    )
    assert ev["accuracy"].value == pytest.approx(np.mean(pred == y))
    assert ev["roc_auc"].value == pytest.approx(sk.roc_auc_score(positive, score))
    assert ev["f1"].value == pytest.approx(sk.f1_score(positive, pred == "malign"))
    np.testing.assert_allclose(ev.fold_scores("accuracy"), cross_val_score(est, X, y, cv=splitter))
    np.testing.assert_allclose(
        ev.fold_scores("roc_auc"), cross_val_score(est, X, y, cv=splitter, scoring="roc_auc")
    )
    expected = intervals.repeated_kfold(ev.losses("log_loss"), 5)
    assert (ev["log_loss"].low, ev["log_loss"].high) == (expected.low, expected.high)
    spread = ev.losses("log_loss")[0].var(ddof=1) / 200 * 5 / 4
    assert ev.standard_error("log_loss") == pytest.approx(math.sqrt(spread))
    assert "covers nearer 91 %" in ev["accuracy"].reason
    assert ev.fit_seconds.shape == (5,)
    for name, e in ev.items():
        assert e.low < e.value < e.high, name
        assert "trained on 160 of these 200 rows" in e.target
        assert ev.standard_error(name) > 0.0


def test_default_is_five_by_five_and_does_not_touch_the_estimator(
    cancer: tuple[Any, pd.DataFrame, np.ndarray],
) -> None:
    est, X, y = cancer
    seen: list[tuple[int, int]] = []
    ev = cross_evaluate(
        est, X, y, metrics=["accuracy"], random_state=3, progress=lambda *step: seen.append(step)
    )
    assert ev.losses("accuracy").shape == (5, 200)
    assert seen[-1] == (25, 25)
    assert not hasattr(est[-1], "coef_")
    same = cross_evaluate(clone(est), pl.DataFrame(X), pl.Series(y), metrics="accuracy", random_state=3)
    assert same["accuracy"] == ev["accuracy"]


def test_multiclass_and_regression() -> None:
    X, y = load_iris(return_X_y=True)
    ev = cross_evaluate(LogisticRegression(max_iter=500), X, y, repeats=1)
    assert all(e.low < e.value < e.high for e in ev.values())
    Z = np.random.default_rng(0).normal(size=(250, 2))
    reg = cross_evaluate(
        LinearRegression(), Z, Z[:, 0] + np.random.default_rng(1).normal(size=250), repeats=1
    )
    assert list(reg) == ["mse", "mae", "r2"]
    assert all(e.low < e.value < e.high for e in reg.values())
    noise = cross_evaluate(LinearRegression(), Z, np.random.default_rng(2).normal(size=250), repeats=1)
    assert "not shown to be better than predicting the mean" in noise["r2"].reason
    assert (
        "at least 200" in cross_evaluate(LinearRegression(), Z[:90], Z[:90, 0] ** 2, repeats=1)["r2"].reason
    )


def test_foreign_splits_are_recognised(cancer: tuple[Any, pd.DataFrame, np.ndarray]) -> None:
    est, X, y = cancer

    def run(cv: Any) -> Any:
        return cross_evaluate(est, X, y, cv=cv, metrics=["accuracy", "log_loss"])

    repeated = run(RepeatedKFold(n_splits=4, n_repeats=2, random_state=0))
    assert (repeated.plan.folds, repeated.plan.repeats) == (4, 2)
    random = run(ShuffleSplit(6, test_size=0.2, random_state=0))
    assert random.plan.folds is None
    scores = random.fold_scores("accuracy")
    expected = intervals.nadeau_bengio(scores, 40 / 160, 200, high=1.0)
    assert random["accuracy"].low == expected.low
    assert "few split scores" in random["accuracy"].reason
    assert "trained on 160 of these 200 rows" in random["accuracy"].target
    with pytest.raises(ValueError, match="no out-of-fold losses"):
        random.losses("accuracy")
    assert random.standard_error("log_loss") > 0.0
    one = run([(np.arange(120), np.arange(120, 200))])
    assert one["accuracy"].n == 80
    assert one["accuracy"].method == "Wilson"
    assert "of the model scored here" in one["accuracy"].target
    assert "trained on 120 of these 200 rows" in one["accuracy"].target
    masks = run([(np.arange(200) < 120, np.arange(200) >= 120)])
    assert masks["accuracy"] == one["accuracy"]
    few = run(TimeSeriesSplit(3))
    assert "3 splits are too few" in few["accuracy"].reason
    generator = run(iter(list(KFold(4, shuffle=True, random_state=0).split(X))))
    assert (generator.plan.folds, generator.plan.repeats) == (4, 1)


def test_leave_one_out() -> None:
    X = np.random.default_rng(0).normal(size=(40, 1))
    ev = cross_evaluate(
        LinearRegression(), X, X[:, 0] + np.random.default_rng(1).normal(size=40), cv=LeaveOneOut()
    )
    assert ev.plan.folds == 40
    assert ev["mse"].low < ev["mse"].high
    assert ev["mse"].reason


def test_foreign_scorers(cancer: tuple[Any, pd.DataFrame, np.ndarray]) -> None:
    est, X, y = cancer
    splitter = StratifiedKFold(5, shuffle=True, random_state=0)
    ev = cross_evaluate(est, X, y, cv=splitter, metrics=["matthews_corrcoef", "accuracy"])
    scores = cross_val_score(est, X, y, cv=splitter, scoring="matthews_corrcoef")
    np.testing.assert_allclose(ev.fold_scores("matthews_corrcoef"), scores)
    assert ev["matthews_corrcoef"].value == pytest.approx(scores.mean())
    assert ev["matthews_corrcoef"].low == pytest.approx(intervals.nadeau_bengio(scores, 0.25, 200).low)


def test_groups(cancer: tuple[Any, pd.DataFrame, np.ndarray]) -> None:
    est, X, y = cancer
    groups = np.array([f"g{k}" for k in np.arange(200) // 5])
    ev = cross_evaluate(est, X, y, groups=groups, random_state=0)
    assert all(e.low < e.value < e.high for e in ev.values())
    assert "40 groups" in ev["accuracy"].method
    assert "40 groups" in ev["roc_auc"].method
    assert "new groups" in ev["f1"].target
    codes = np.unique(groups, return_inverse=True)[1]
    assert ev["log_loss"].low == pytest.approx(intervals.grouped_kfold(ev.losses("log_loss"), codes, 5).low)
    few = cross_evaluate(est, X, y, groups=np.arange(200) // 25, repeats=1)
    assert all(e.low is None for e in few.values())
    whole = cross_evaluate(est, X, y, groups=groups, cv=GroupKFold(4), metrics="accuracy")
    assert whole.plan.folds == 4
    with pytest.raises(ValueError, match="rows of one group in training and in test"):
        cross_evaluate(est, X, y, groups=groups, cv=KFold(5, shuffle=True, random_state=0))
    with pytest.raises(ValueError, match="cannot be made of 3 groups"):
        cross_evaluate(est, X, y, groups=np.arange(200) % 3)


def test_a_class_rarer_than_the_folds() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] > 0, "a", "b").astype(object)
    y[:3] = "rare"
    ev = cross_evaluate(LogisticRegression(), X, y, repeats=1)
    assert ev["accuracy"].low is not None
    assert "fewer than the 5 folds" not in ev["accuracy"].reason  # each fit saw two of the three rows
    assert ev["balanced_accuracy"].low is None
    lonely = y.copy()
    lonely[1:3] = "a"
    once = cross_evaluate(LogisticRegression(), X, lonely, repeats=1)
    assert once["log_loss"].value == math.inf  # the fold that tests the only such row never saw its class
    assert "probability 0" in once["log_loss"].reason
    assert "has 1 row, fewer than the 5 folds: some fits never saw it" in once["accuracy"].reason
    margin = cross_evaluate(LinearSVC(), X, lonely, repeats=1)
    assert margin["accuracy"].low is not None
    assert "LinearSVC has no predict_proba" in margin["log_loss"].reason


def test_small_samples_answer_in_words() -> None:
    X = np.arange(12.0)[:, None]
    ev = cross_evaluate(LinearRegression(), X, X[:, 0] + np.tile([0.1, -0.1], 6))
    assert all(e.low is None and e.reason for e in ev.values())
    with pytest.raises(ValueError, match="5 folds cannot be made of 3 rows"):
        cross_evaluate(LinearRegression(), X[:3], X[:3, 0])
    with pytest.raises(ValueError, match="one class only"):
        cross_evaluate(LogisticRegression(), X, np.zeros(12, int))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"cv": 1}, ValueError, "between 2 and 40"),
        ({"cv": 41}, ValueError, "cannot be made of 40 rows"),
        ({"cv": "five"}, TypeError, "an int, a splitter or an iterable"),
        ({"cv": []}, ValueError, "no splits"),
        ({"cv": [([0, 1], [1, 2])]}, ValueError, "trains and tests on the same rows"),
        ({"cv": [([0, 1], [])]}, ValueError, "no test rows"),
        ({"cv": KFold(3), "repeats": 2}, ValueError, "repeats goes with"),
        ({"repeats": 0}, ValueError, "at least 1"),
        ({"groups": np.arange(3)}, ValueError, "one label for each of the 40 rows"),
    ],
)
def test_errors(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    X = np.arange(40.0)[:, None]
    cv = arguments.get("cv")
    if cv == "five":
        arguments = {"cv": 5.5}
    with pytest.raises(error, match=message):
        cross_evaluate(LinearRegression(), X, X[:, 0], **arguments)


def test_a_failing_fit_says_where() -> None:
    class Broken(LinearRegression):
        def fit(self, X: Any, y: Any) -> Any:
            raise RuntimeError("no luck")

    with pytest.raises(RuntimeError, match="no luck") as caught:
        cross_evaluate(Broken(), np.zeros((40, 1)), np.arange(40.0))
    assert "split 0 of 25 (32 rows)" in caught.value.__notes__[0]


def test_losses_feed_the_choice_of_a_winner(rng: np.random.Generator) -> None:
    X = rng.normal(size=(100, 3))
    y = X[:, 0] + rng.normal(size=100)
    runs = [
        cross_evaluate(LinearRegression(fit_intercept=f), X, y, repeats=1, random_state=0)
        for f in (True, False)
    ]
    table = np.column_stack([run.losses("mse")[0] for run in runs])
    e = best_of(table, 5, random_state=0)
    assert e.low < e.value < e.high
    with pytest.raises(ValueError, match="no mean of row losses"):
        runs[0].losses("r2")


def test_an_unpenalised_model_on_few_rows_is_refused(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 20))
    y = X[:, 0] + rng.normal(size=60)
    for est in (LinearRegression(), make_pipeline(StandardScaler(), LinearRegression()), er.Ridge(alpha=0.0)):
        e = cross_evaluate(est, X, y, metrics="mse", repeats=1)["mse"]
        assert e.low is None
        assert "too unstable on 48 training rows" in e.reason
    assert cross_evaluate(Ridge(), X, y, metrics="mse", repeats=1)["mse"].low is not None
    assert cross_evaluate(LinearRegression(), X[:, :16], y, metrics="mse", repeats=1)["mse"].low is not None
    labels = (y > 0).astype(int)
    free = cross_evaluate(LogisticRegression(C=np.inf), X, labels, metrics="accuracy", repeats=1)["accuracy"]
    assert "too unstable" in free.reason
    assert unpenalised(er.LogisticRegression(alpha=0.0))
    assert not unpenalised(er.LogisticRegression())
    assert not unpenalised(LogisticRegression())
    # A tree's alpha is the price of a leaf; nothing there is estimated without a penalty on coefficients.
    for tree in (er.DecisionTreeClassifier(alpha=0.0), er.DecisionTreeRegressor(alpha=0.0)):
        assert not unpenalised(tree)


def test_our_own_estimators(rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 4))
    z = X[:, 0] + rng.normal(size=200)
    y = np.where(z > 0, "up", "down")
    ev = er.cross_evaluate(er.LogisticRegression(), X, y, repeats=1, random_state=0)
    assert all(e.low < e.value < e.high for e in ev.values())
    held = er.evaluate(er.LogisticRegression().fit(X[:100], y[:100]), X[100:], y[100:])
    assert all(e.low < e.value < e.high for e in held.values())
    assert er.compare(er.Ridge(), er.Ridge(alpha=1e6), X, z, random_state=0).better == "a"


@pytest.mark.parametrize("measure", [er.cross_evaluate, er.diagnose, er.evaluate, learning_curve])
def test_several_quantiles_at_once_are_refused_in_words(measure) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    model = er.GradientBoostingRegressor("quantile", q=[0.1, 0.5, 0.9], n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match=r"GradientBoostingRegressor .* one number a row"):
        measure(model, X, y)


def test_a_score_means_the_same_whichever_classes_a_split_held(rng: np.random.Generator) -> None:
    X = rng.normal(size=(90, 2))
    y = np.repeat(["a", "b", "c"], 30)
    two, three = np.r_[0:20, 30:50], np.r_[0:20, 30:50, 60:80]
    test = np.r_[20:30, 50:60, 80:90]
    splits = [(two, test), (three, test[::2]), (two, test[1::2])]
    found = er.cross_evaluate(er.LogisticRegression(), X, y, cv=splits, metrics="brier_score")
    for (train, rows), score in zip(splits, found.fold_scores("brier_score"), strict=True):
        model = er.LogisticRegression().fit(X[train], y[train])
        p = np.zeros((rows.size, 3))
        p[:, [list("abc").index(c) for c in model.classes_]] = model.predict_proba(X[rows])
        hit = y[rows][:, None] == np.array(["a", "b", "c"])
        assert score == pytest.approx(np.mean(np.sum((p - hit) ** 2, axis=1)), rel=1e-12)
