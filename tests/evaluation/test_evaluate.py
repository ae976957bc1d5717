"""er.evaluate and evaluate_predictions: values, intervals, refusals, inputs of all kinds, errors in words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import metrics as sk
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from empirisk.evaluation import intervals
from empirisk.evaluation.metrics.predictions import encode
from empirisk.selection import METRICS, evaluate, evaluate_predictions
from tests.oracles.complete import complete


@pytest.fixture(scope="module")
def cancer() -> tuple[Any, pd.DataFrame, np.ndarray]:
    """A fitted pipeline with text labels, and rows that it has not seen."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    labels = np.where(y == 1, "benign", "malign")
    est = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[::2], labels[::2])
    return est, X[1::2], labels[1::2]


def test_values_equal_scikit_learn(cancer: tuple[Any, pd.DataFrame, np.ndarray]) -> None:
    est, X, y = cancer
    ev = evaluate(est, X, y)
    pred, proba, score = est.predict(X), est.predict_proba(X), est.decision_function(X)
    positive = y == "malign"
    expected = {
        "accuracy": sk.accuracy_score(y, pred),
        "balanced_accuracy": sk.balanced_accuracy_score(y, pred),
        "f1": sk.f1_score(y, pred, pos_label="malign"),
        "roc_auc": sk.roc_auc_score(positive, score),
        "average_precision": sk.average_precision_score(positive, score),
        "log_loss": sk.log_loss(y, proba),
        "brier_score": sk.brier_score_loss(positive, proba[:, 1]),
    }
    assert list(ev) == list(expected)
    for name, value in expected.items():
        e = ev[name]
        assert e.value == pytest.approx(value, rel=1e-10), name
        assert e.low < e.value < e.high, name
        assert (e.n, e.level) == (284, 0.95)
        assert "this fitted model" in e.target
    assert ev["accuracy"].low == pytest.approx(intervals.wilson(float(np.sum(pred == y)), 284).low)


def test_multiclass_values_equal_scikit_learn() -> None:
    X, y = load_iris(return_X_y=True)
    est = LogisticRegression(max_iter=500).fit(X[::2], y[::2])
    ev = evaluate(est, X, y)
    pred, proba = est.predict(X), est.predict_proba(X)
    expected = {
        "accuracy": sk.accuracy_score(y, pred),
        "balanced_accuracy": sk.balanced_accuracy_score(y, pred),
        "f1": sk.f1_score(y, pred, average="macro"),
        "roc_auc": sk.roc_auc_score(y, proba, multi_class="ovr"),
        "log_loss": sk.log_loss(y, proba),
        "brier_score": sk.brier_score_loss(y, proba),
    }
    assert list(ev) == list(expected)
    for name, value in expected.items():
        assert ev[name].value == pytest.approx(value, rel=1e-10), name
        assert ev[name].low < value < ev[name].high


def test_regression_values_equal_scikit_learn() -> None:
    X, y = load_diabetes(return_X_y=True)
    est = LinearRegression().fit(X[::2], y[::2])
    ev = evaluate(est, X[1::2], y[1::2])
    pred = est.predict(X[1::2])
    assert ev["mse"].value == pytest.approx(sk.mean_squared_error(y[1::2], pred))
    assert ev["mae"].value == pytest.approx(sk.mean_absolute_error(y[1::2], pred))
    assert ev["r2"].value == pytest.approx(sk.r2_score(y[1::2], pred))
    assert all(e.low < e.value < e.high for e in ev.values())


@pytest.mark.parametrize("as_type", ["numpy", "pandas", "polars", "float32", "fortran", "object"])
def test_any_table(cancer: tuple[Any, pd.DataFrame, np.ndarray], as_type: str) -> None:
    est, X, y = cancer
    plain = make_pipeline(StandardScaler(), LogisticRegression()).fit(X.to_numpy(), y)
    tables: dict[str, tuple[Any, Any]] = {
        "numpy": (X.to_numpy(), y),
        "pandas": (X, pd.Series(y, dtype="category")),
        "polars": (pl.DataFrame(X.to_numpy()), pl.Series(y)),
        "float32": (X.to_numpy().astype(np.float32), y.tolist()),
        "fortran": (np.asfortranarray(X.to_numpy()), y[:, None]),
        "object": (X.to_numpy(), y.astype(object)),
    }
    rows, target = tables[as_type]
    model = est if as_type == "pandas" else plain
    expected = np.mean(model.predict(rows) == y)
    assert evaluate(model, rows, target, metrics="accuracy")["accuracy"].value == pytest.approx(expected)


def test_sparse_rows_and_numeric_labels() -> None:
    X, y = load_iris(return_X_y=True)
    est = LogisticRegression(max_iter=500).fit(sparse.csr_array(X), y + 1.0)
    ev = evaluate(est, sparse.csr_array(X), (y + 1).astype(int))
    assert ev["accuracy"].value > 0.9


def test_a_classifier_without_probabilities(cancer: tuple[Any, pd.DataFrame, np.ndarray]) -> None:
    _, X, y = cancer
    est = make_pipeline(StandardScaler(), LinearSVC()).fit(X, y)
    ev = evaluate(est, X, y)
    assert ev["roc_auc"].low is not None
    for name in ("log_loss", "brier_score"):
        assert math.isnan(ev[name].value)
        assert ev[name].reason == "LinearSVC has no predict_proba"


class Constant(ClassifierMixin, BaseEstimator):
    """Says the same about every row, and says it for certain."""

    def __init__(self, classes: tuple[Any, ...], label: Any, predict_only: bool = False) -> None:
        self.classes, self.label, self.predict_only = classes, label, predict_only

    def fit(self, X: Any, y: Any) -> Constant:
        self.classes_ = np.array(self.classes)
        if not self.predict_only:
            self.predict_proba = lambda Z: np.tile(self.classes_ == self.label, (len(Z), 1)).astype(float)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.full(len(X), self.label)


def test_predict_only() -> None:
    est = Constant(("a", "b"), "a", predict_only=True).fit(None, None)
    ev = evaluate(est, np.zeros((40, 1)), ["a", "b"] * 20)
    assert ev["accuracy"].value == 0.5
    assert "neither predict_proba nor a decision_function" in ev["roc_auc"].reason
    assert ev["f1"].value == 0.0


def test_a_probability_of_zero_is_an_infinite_loss_not_a_clipped_one() -> None:
    est = Constant((0, 1), 0).fit(None, None)
    y = np.r_[np.zeros(57, int), np.ones(3, int)]
    e = evaluate(est, np.zeros((60, 1)), y, metrics="log_loss")["log_loss"]
    assert e.value == math.inf
    assert e.low is None
    assert e.reason.startswith("3 rows gave probability 0")


def test_all_right_and_all_sure() -> None:
    y = np.arange(60) % 2
    ev = evaluate_predictions(y, proba=y.astype(float), classes=[0, 1])
    assert ev["accuracy"].high == 1.0
    assert ev["accuracy"].low < 1.0
    assert ev["roc_auc"].low < 1.0
    assert ev["brier_score"].low == 0.0
    assert ev["brier_score"].high > 0.0
    assert ev["log_loss"].low is None  # unbounded, and no row shows any variation
    for e in ev.values():
        assert e.low is None or e.high > e.low


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_handful_of_rows(n: int) -> None:
    proba = np.linspace(0.1, 0.9, n)
    ev = evaluate_predictions(np.arange(n) % 2, proba=proba, classes=[0, 1])
    assert all(e.low is None and e.reason for e in ev.values())
    numbers = evaluate_predictions(np.arange(n) + 0.0, pred=np.ones(n))
    assert all(e.low is None and e.reason for e in numbers.values())


def test_one_class_on_the_test_rows() -> None:
    ev = evaluate_predictions(np.zeros(40, int), proba=np.linspace(0, 0.9, 40), classes=[0, 1])
    assert ev["accuracy"].low is not None
    assert "all of one class" in ev["roc_auc"].reason
    assert "all of one class" in ev["average_precision"].reason
    assert "no row here" in ev["balanced_accuracy"].reason
    grouped = evaluate_predictions(
        np.zeros(60, int), proba=np.linspace(0, 0.4, 60), classes=[0, 1], groups=np.arange(60) // 5
    )
    assert "all of one class" in grouped["roc_auc"].reason
    assert "F1 is undefined" in grouped["f1"].reason


def test_constant_target() -> None:
    ev = evaluate_predictions(np.full(40, 2.0), pred=np.linspace(1, 3, 40))
    assert math.isnan(ev["r2"].value)
    assert "constant" in ev["r2"].reason
    assert ev["mse"].low is not None
    grouped = evaluate_predictions(np.full(40, 2.0), pred=np.linspace(1, 3, 40), groups=np.arange(40) // 3)
    assert math.isnan(grouped["r2"].value)


def test_a_class_that_the_model_never_saw() -> None:
    y = np.array(["a", "b"] * 30 + ["c"] * 2)
    ev = evaluate_predictions(y, proba=np.tile([0.6, 0.4], (62, 1)), classes=["a", "b"])
    assert ev["accuracy"].value == pytest.approx(30 / 62)
    assert "2 rows have a label that the model never saw" in ev["accuracy"].reason
    assert ev["log_loss"].value == math.inf
    assert "never saw (c)" in ev["roc_auc"].reason


def test_groups_widen_the_interval(rng: np.random.Generator) -> None:
    g = np.repeat(np.arange(40), 10)
    u = np.repeat(rng.normal(size=40), 10) + 0.5 * rng.normal(size=400)
    y = (u + rng.normal(size=400) > 0).astype(int)
    proba = 1 / (1 + np.exp(-np.repeat(rng.normal(size=40), 10) - u))
    alone = evaluate_predictions(y, proba=proba, classes=[0, 1])
    grouped = evaluate_predictions(y, proba=proba, classes=[0, 1], groups=g)
    for name in alone:
        assert grouped[name].value == alone[name].value
        assert grouped[name].high - grouped[name].low > alone[name].high - alone[name].low, name
        assert "new groups" in grouped[name].target
    few = evaluate_predictions(y, proba=proba, classes=[0, 1], groups=g // 10)
    assert all(e.low is None and "groups are too few" in e.reason for e in few.values())


def test_perfect_ranking_in_groups_uses_newcombe_with_fewer_units() -> None:
    y = np.arange(60) % 2
    e = evaluate_predictions(y, score=y + 0.0, classes=[0, 1], groups=np.arange(60) // 5, metrics="roc_auc")[
        "roc_auc"
    ]
    assert (e.low, e.high) == pytest.approx(intervals.newcombe_limits(1.0, 6.0, 6.0))
    b = evaluate_predictions(
        y, pred=y, classes=[0, 1], groups=np.arange(60) // 5, metrics="balanced_accuracy"
    )
    assert b["balanced_accuracy"].low < 1.0


def test_constant_scores_in_groups_are_no_certainty() -> None:
    y = np.arange(200) % 2
    ev = evaluate_predictions(y, score=np.zeros(200), classes=[0, 1], groups=np.arange(200) // 5)
    assert ev["roc_auc"].value == 0.5
    assert ev["roc_auc"].low < 0.5 < ev["roc_auc"].high


@pytest.mark.full  # every scorer of scikit-learn
def test_scikit_learn_scorers(cancer: tuple[Any, pd.DataFrame, np.ndarray]) -> None:
    est, X, y = cancer

    def share_right(model: Any, rows: Any, target: Any) -> float:
        return float(np.mean(model.predict(rows) == target))

    ev = evaluate(est, X, y, metrics=["matthews_corrcoef", "f1_macro", "neg_log_loss", share_right])
    pred = est.predict(X)
    assert ev["matthews_corrcoef"].value == pytest.approx(sk.matthews_corrcoef(y, pred))
    assert ev["f1_macro"].value == pytest.approx(sk.f1_score(y, pred, average="macro"))
    assert ev["neg_log_loss"].value == pytest.approx(-sk.log_loss(y, est.predict_proba(X)))
    for e in ev.values():
        assert e.low < e.value < e.high
    # The jackknife of a mean is its textbook standard error (up to the dealing into blocks).
    plain = intervals.student(pred == y)
    assert ev["share_right"].high - ev["share_right"].low == pytest.approx(plain.high - plain.low, rel=0.15)
    assert evaluate(est, X, y, metrics={"mine": "jaccard_macro"})["mine"].low is not None
    few = evaluate(est, X[:40], y[:40], metrics="matthews_corrcoef")["matthews_corrcoef"]
    assert few.value == pytest.approx(sk.matthews_corrcoef(y[:40], pred[:40]))
    assert "40 rows are too few" in few.reason


def test_a_scorer_that_looks_at_the_columns(rng: np.random.Generator) -> None:
    X = rng.normal(size=(150, 2))
    y = X[:, 0] + rng.normal(size=150)
    est = LinearRegression().fit(X, y)

    def weighted(model: Any, rows: Any, target: Any) -> float:
        return float(np.average((model.predict(rows) - target) ** 2, weights=rows[:, 1] ** 2))

    e = evaluate(est, X, y, metrics=weighted)["weighted"]
    assert e.value == pytest.approx(weighted(est, X, y))
    assert e.low < e.value < e.high
    grouped = evaluate(est, X, y, metrics=weighted, groups=np.arange(150) // 10)["weighted"]
    assert grouped.low < e.value < grouped.high


def test_frames_and_text(cancer: tuple[Any, pd.DataFrame, np.ndarray]) -> None:
    est, X, y = cancer
    ev = evaluate(est, X, y)
    frame = ev.to_frame()
    assert list(frame.columns[:7]) == ["metric", "value", "low", "high", "level", "n", "method"]
    assert frame.loc[0, "low"] == ev["accuracy"].low
    text = repr(ev)
    assert "accuracy" in text
    assert "About: this fitted model" in text
    short = repr(evaluate(est, X[:5], y[:5], metrics=["log_loss", "brier_score", "accuracy"]))
    assert short.count("5 rows are too few; at least 30") == 1  # a shared reason is printed once
    assert "Note (log_loss, brier_score)" in short
    html = ev._repr_html_()
    assert html.startswith(f"<div class='empirisk'><p><strong>{ev.title}")
    assert html.count("<tr>") == 8
    assert set(ev.to_dict()["accuracy"]) >= {"value", "low", "high", "level", "n", "method"}
    with pytest.raises(KeyError, match="this evaluation holds accuracy"):
        ev["acuracy"]


def test_level_changes_the_width(cancer: tuple[Any, pd.DataFrame, np.ndarray]) -> None:
    est, X, y = cancer
    narrow, wide = evaluate(est, X, y, level=0.8), evaluate(est, X, y, level=0.99)
    for name in narrow:
        assert wide[name].low < narrow[name].low < narrow[name].high < wide[name].high, name


def test_arrays_in_many_forms() -> None:
    y, p = ["no", "yes"] * 20, np.tile([0.3, 0.8], 20)
    one = evaluate_predictions(y, proba=p)
    two = evaluate_predictions(y, proba=np.column_stack([1 - p, p]), classes=["no", "yes"])
    assert one.to_dict() == two.to_dict()
    swapped = evaluate_predictions(y, proba=1 - p, classes=["yes", "no"], metrics="f1")
    assert swapped["f1"].value == 1.0  # the positive class is classes[1], whatever the alphabet says
    flags = evaluate_predictions([True, False] * 20, pred=[True] * 40)
    assert flags["accuracy"].value == 0.5
    whole = evaluate_predictions([1, 2] * 20, pred=[1, 1] * 20, task="classification")
    assert whole["accuracy"].value == 0.5
    assert "mse" in evaluate_predictions([1, 2] * 20, pred=[1, 1] * 20)
    np.testing.assert_array_equal(encode(np.array([3, 1]), np.array([1, 2, 3])), [2, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": [0, 1] * 20, "proba": [0.5] * 39, "classes": [0, 1]}, "proba has 39 rows but y has 40"),
        ({"y": [0, 1] * 20, "proba": [1.5] * 40, "classes": [0, 1]}, "leaves \\[0, 1\\] in row 0"),
        ({"y": [0, 1], "proba": [[0.5, 0.6], [0.5, 0.5]], "classes": [0, 1]}, "sums to 1.1 in row 0"),
        ({"y": [0, 1], "proba": [[0.5, 0.5], [0.5, math.nan]], "classes": [0, 1]}, "proba is nan in row 1"),
        ({"y": [0, 1], "proba": [[0.5, 0.5]] * 2, "classes": [0, 1, 2]}, "each of the 3 classes"),
        ({"y": [0, 1], "score": [0.0, math.nan], "classes": [0, 1]}, "score is nan in row 1"),
        ({"y": [0.0, 1.0], "pred": [0.0, math.inf]}, "pred is inf in row 1"),
        ({"y": [1.5, 2.5], "pred": ["a", "b"]}, "pred holds values that are no numbers .its type is text"),
        ({"y": ["a", "b"], "pred": [1.0, 2.0], "task": "regression"}, "y holds values that are no numbers"),
        ({"y": [0.0, math.nan], "pred": [0.0, 1.0]}, "y is missing in row 1"),
        ({"y": ["a", None], "pred": ["a", "a"]}, "y is missing in row 1"),
        ({"y": [], "pred": []}, "y has no rows"),
        ({"y": [[1.0, 2.0]], "pred": [1.0]}, "one target at a time"),
        ({"y": [1.0, 2.0], "pred": [1.0]}, "pred has 1 rows but y has 2"),
        ({"y": [1.0, 2.0]}, "pred is missing"),
        ({"y": ["a", "b"]}, "at least one of pred, proba and score"),
        ({"y": [1.0, 2.0], "pred": [1.0, 2.0], "metrics": "accurracy"}, "metric 'accurracy' is unknown"),
        ({"y": [1.0, 2.0], "pred": [1.0, 2.0], "metrics": []}, "metrics is empty"),
        ({"y": [1.0, 2.0], "pred": [1.0, 2.0], "task": "ranking"}, "task must be"),
        ({"y": [1.0, 2.0], "pred": [1.0, 2.0], "level": 1.0}, "level must lie"),
        ({"y": [1.0, 2.0], "pred": [1.0, 2.0], "groups": [1]}, "one label for each of the 2 rows"),
    ],
)
def test_errors_in_words(arguments: dict[str, Any], message: str) -> None:
    arguments = dict(arguments)
    with pytest.raises(ValueError, match=message):
        evaluate_predictions(arguments.pop("y"), **arguments)


def test_estimator_errors(cancer: tuple[Any, pd.DataFrame, np.ndarray]) -> None:
    est, X, y = cancer
    with pytest.raises(ValueError, match="X has 10 rows but y has 284"):
        evaluate(est, X[:10], y)
    with pytest.raises(ValueError, match="neither one of ours nor a scikit-learn scorer"):
        evaluate(est, X, y, metrics="acc")
    with pytest.raises(TypeError, match="no predict method"):
        evaluate(StandardScaler().fit(X), X, y)
    with pytest.raises(ValueError, match="given twice"):
        evaluate(est, X, y, metrics=["accuracy", "accuracy"])
    wrong_task = evaluate(est, X, y, metrics=["mse"])["mse"]
    assert "mse is for regression" in wrong_task.reason


def test_every_metric_answers_on_ordinary_rows(rng: np.random.Generator) -> None:
    y = rng.integers(2, size=200)
    proba = np.clip(0.3 + 0.4 * y + 0.2 * rng.normal(size=200), 0.02, 0.98)
    others = {m.task: [n for n, o in METRICS.items() if o.task == m.task] for m in METRICS.values()}
    labelled = evaluate_predictions(y, proba=proba, classes=[0, 1], metrics=others["classification"])
    numbers = evaluate_predictions(y + rng.normal(size=200), pred=y + 0.0)
    mean = np.exp(0.3 * rng.normal(size=200))
    positive = evaluate_predictions(
        rng.gamma(3.0, mean / 3.0),
        pred=mean,
        groups=np.repeat(np.arange(40), 5),  # each is a ranking, for the gains of one
        metrics=[n for n in others["regression"] if not getattr(METRICS[n], "by_default", True)],
    )
    tried = set(labelled) | set(numbers) | set(positive)
    complete(tried, METRICS, "a value", "this test, whose rows its kind of metric takes")
    for e in [*labelled.values(), *numbers.values(), *positive.values()]:
        assert e.low < e.value < e.high


@pytest.mark.parametrize("grouped", [False, True])
def test_the_order_of_rows_does_not_matter(rng: np.random.Generator, grouped: bool) -> None:
    n = 240
    y = rng.integers(3, size=n)
    proba = rng.dirichlet(np.ones(3), size=n) * 0.5
    proba[np.arange(n), y] += 0.5
    groups = rng.integers(20, size=n) if grouped else None
    order = rng.permutation(n)

    def both(rows: np.ndarray) -> list[Any]:
        g = None if groups is None else groups[rows]
        three = evaluate_predictions(y[rows], proba=proba[rows], classes=[0, 1, 2], groups=g)
        two = evaluate_predictions(y[rows] > 0, score=proba[rows, 1], classes=[False, True], groups=g)
        numbers = evaluate_predictions(proba[rows, 0], pred=proba[rows, 1], groups=g)
        return [*three.values(), *two.values(), *numbers.values()]

    for first, second in zip(both(np.arange(n)), both(order), strict=True):
        np.testing.assert_allclose(
            [first.value, first.low or 0.0, first.high or 0.0],
            [second.value, second.low or 0.0, second.high or 0.0],
            rtol=1e-9,
        )


def test_names_of_classes_and_groups_do_not_matter(rng: np.random.Generator) -> None:
    y, g = rng.integers(2, size=150), rng.integers(15, size=150)
    proba = np.clip(0.5 * rng.random(150) + 0.4 * y, 0.01, 0.99)
    codes = evaluate_predictions(y, proba=proba, classes=[0, 1], groups=g)
    names = evaluate_predictions(
        np.array(["x", "a"])[y], proba=proba, classes=["x", "a"], groups=[f"group {k}" for k in g]
    )
    for name, e in codes.items():
        assert (e.low, e.high) == pytest.approx((names[name].low, names[name].high))


def test_scale_of_the_target(rng: np.random.Generator) -> None:
    y, pred = rng.normal(size=100), rng.normal(size=100)
    one, thousand = evaluate_predictions(y, pred=pred), evaluate_predictions(1000 * y, pred=1000 * pred)
    tiny = evaluate_predictions(1e-9 * y, pred=1e-9 * pred)
    for name, factor in (("mse", 1e6), ("mae", 1e3), ("r2", 1.0)):
        assert thousand[name].low == pytest.approx(factor * one[name].low)
    assert tiny["mse"].low == pytest.approx(1e-18 * one["mse"].low, rel=1e-9, abs=0.0)
    assert tiny["r2"].high == pytest.approx(one["r2"].high)


@pytest.mark.parametrize("factor", [1e-9, 1.0, 1e9])
def test_equal_losses_are_seen_at_any_scale(factor: float) -> None:
    y = factor * np.array([0.1, 0.2, 0.3] * 30)
    off = evaluate_predictions(y, pred=y + factor * 0.7)  # equal but for rounding
    assert off["mse"].low is None
    assert "same loss" in off["mse"].reason
    grouped = evaluate_predictions(y, pred=y + factor * 0.7, groups=np.arange(90) // 5)
    assert grouped["mae"].low is None
    flat = evaluate_predictions(np.full(90, 0.1 * factor), pred=y)
    assert math.isnan(flat["r2"].value)


def test_metrics_are_drawn_with_their_intervals(rng: np.random.Generator) -> None:
    pytest.importorskip("matplotlib")
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] + rng.normal(size=120) > 0.0, "yes", "no")
    found = evaluate(LogisticRegression().fit(X, y), X, y)
    assert found.plot().axes.get_title(loc="left")
    two = found.plot(metrics=["accuracy", "f1"])
    assert {"accuracy", "f1"} <= {t.get_text() for t in two.axes.texts}
    with pytest.raises(KeyError, match="was not computed"):
        found.plot(metrics=["mse"])
