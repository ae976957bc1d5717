"""Rates, agreement, lift, quantile losses and D2: values, influence of rows, refusals, coverage."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as peer

import empirisk as er
from empirisk.evaluation.metrics import METRICS, Predictions, d2_pinball, f_beta, lift, pinball
from empirisk.evaluation.metrics.predictions import classification
from empirisk.selection import evaluate_predictions

Weighted = Callable[[np.ndarray | None], float]


def labels(rng: np.random.Generator, classes: int = 2, n: int = 160) -> tuple[np.ndarray, np.ndarray]:
    y = rng.integers(classes, size=n)
    return y, np.where(rng.random(n) < 0.6, y, rng.integers(classes, size=n))


def of_labels(name: str, y: np.ndarray, said: np.ndarray) -> Weighted:
    """scikit-learn's value of a metric of labels, as a function of weights."""
    known: dict[str, Weighted] = {
        "precision": lambda w: peer.precision_score(y, said, sample_weight=w),
        "recall": lambda w: peer.recall_score(y, said, sample_weight=w),
        "specificity": lambda w: peer.recall_score(y, said, pos_label=0, sample_weight=w),
        "f2": lambda w: peer.fbeta_score(y, said, beta=2.0, sample_weight=w),
        "f0.5": lambda w: peer.fbeta_score(y, said, beta=0.5, sample_weight=w),
        "mcc": lambda w: peer.matthews_corrcoef(y, said, sample_weight=w),
        "cohen_kappa": lambda w: peer.cohen_kappa_score(y, said, sample_weight=w),
    }
    return known[name]


def check_influence(name: str, p: Predictions, value: Weighted) -> None:
    """The influence of a row is the derivative in its weight, by a small change of it."""
    base, h = value(None), 1e-6
    for i in range(0, p.n, 7):
        w = np.full(p.n, 1.0 - h)
        w[i] += h * p.n
        assert METRICS[name].influence(p)[i] == pytest.approx((value(w) - base) / h, abs=1e-3)  # type: ignore[attr-defined]
    assert abs(METRICS[name].influence(p).sum()) < 1e-8  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "classes"),
    [(m, 2) for m in ("precision", "recall", "specificity", "f2", "f0.5", "mcc", "cohen_kappa")]
    + [("mcc", 4), ("cohen_kappa", 4)],
)
def test_labels(name: str, classes: int, rng: np.random.Generator) -> None:
    y, said = labels(rng, classes)
    p, value = classification(y, pred=said, classes=np.arange(classes)), of_labels(name, y, said)
    assert METRICS[name].value(p) == pytest.approx(value(None), rel=1e-12)
    check_influence(name, p, value)


@pytest.mark.parametrize(
    "name", ["mape", "pinball", "d2_absolute", "d2_pinball", "pinball(0.8)", "d2_pinball(0.8)"]
)
def test_numbers(name: str, rng: np.random.Generator) -> None:
    y = rng.normal(size=90) + 4.0
    told = y + rng.normal(size=90)
    known: dict[str, Weighted] = {
        "mape": lambda w: peer.mean_absolute_percentage_error(y, told, sample_weight=w),
        "pinball": lambda w: peer.mean_pinball_loss(y, told, sample_weight=w),
        "pinball(0.8)": lambda w: peer.mean_pinball_loss(y, told, alpha=0.8, sample_weight=w),
        "d2_absolute": lambda w: peer.d2_absolute_error_score(y, told, sample_weight=w),
        "d2_pinball": lambda w: peer.d2_pinball_score(y, told, sample_weight=w),
        "d2_pinball(0.8)": lambda w: peer.d2_pinball_score(y, told, alpha=0.8, sample_weight=w),
    }
    metric = {"pinball(0.8)": pinball(0.8), "d2_pinball(0.8)": d2_pinball(0.8)}.get(name) or METRICS[name]
    assert metric.name == name
    found = evaluate_predictions(y, pred=told, metrics=[metric])[name]
    assert found.value == pytest.approx(known[name](None), rel=1e-12)
    assert found.low < found.value < found.high
    if name.startswith("d2"):
        assert found.high <= 1.0


def test_log_loss_that_is_saved(rng: np.random.Generator) -> None:
    y = rng.integers(3, size=120)
    proba = rng.dirichlet(np.ones(3), size=120)
    p = classification(y, proba=proba, classes=np.arange(3))
    assert METRICS["d2_log_loss"].value(p) == pytest.approx(peer.d2_log_loss_score(y, proba), rel=1e-12)
    check_influence("d2_log_loss", p, lambda w: peer.d2_log_loss_score(y, proba, sample_weight=w))
    certain = proba.copy()
    certain[0] = np.eye(3)[(y[0] + 1) % 3]
    told = evaluate_predictions(y, proba=certain, classes=np.arange(3), metrics="d2_log_loss")["d2_log_loss"]
    assert told.low is None
    assert "1 rows gave probability 0" in told.reason


def test_lift_by_hand(rng: np.random.Generator) -> None:
    y, score = rng.random(400) < 0.3, rng.normal(size=400)
    score[y] += 1.0
    top = np.argsort(-score)[:80]
    found = evaluate_predictions(y, score=score, classes=[False, True], metrics=lift(0.2))["lift(0.2)"]
    assert found.value == pytest.approx(y[top].mean() / y.mean(), rel=1e-12)
    # Rows that tie at the cut count in part: a constant score finds what drawing blindly does.
    tied = evaluate_predictions(y, score=np.zeros(400), classes=[False, True], metrics="lift")["lift"]
    assert tied.value == pytest.approx(1.0, rel=1e-12)


REFUSALS = [
    ("precision", [0, 1] * 20, [0] * 40, "no row is predicted positive"),
    ("recall", [0] * 40, [0, 1] * 20, "no row is positive"),
    ("specificity", [1] * 40, [0, 1] * 20, "no row is negative"),
    ("f2", [0] * 40, [0] * 40, "no row is positive and none is predicted positive"),
    ("mcc", [0, 1] * 60, [0] * 120, "one class alone is predicted"),
    ("cohen_kappa", [0] * 120, [0] * 120, "it alone is predicted"),
    ("precision", [0, 1] * 20, [1] * 9 + [0] * 31, "9 rows are predicted positive; at least 10 are needed"),
    ("mcc", [0, 1] * 20, [0, 1, 1, 0] * 10, "40 rows are too few"),
]


@pytest.mark.parametrize(("name", "y", "said", "reason"), REFUSALS)
@pytest.mark.parametrize("crossed", [False, True])
def test_what_cannot_be_told_says_why(
    name: str, y: list[int], said: list[int], reason: str, crossed: bool
) -> None:
    p = classification(y, pred=said, classes=[0, 1])
    found = METRICS[name].crossed([p], 5, 0.95) if crossed else METRICS[name].interval(p, 0.95)
    assert found.low is None
    assert reason in found.reason
    assert math.isnan(found.value) == ("no row" in reason or "alone" in reason)


def test_a_perfect_rate_has_a_limit_below_one(rng: np.random.Generator) -> None:
    y = rng.integers(2, size=80)
    for name in ("precision", "recall", "specificity", "f2"):
        found = evaluate_predictions(y, pred=y, classes=[0, 1], metrics=name)[name]
        assert found.value == 1.0
        assert 0.8 < found.low < 1.0


def test_targets_of_zero_and_parameters_outside() -> None:
    found = evaluate_predictions([0.0, 1.0, 2.0], pred=[1.0, 1.0, 1.0], metrics="mape")["mape"]
    assert "0 in 1 rows (the first is row 0)" in found.reason
    for make in (pinball, d2_pinball, lift):
        with pytest.raises(ValueError, match="between 0 and 1"):
            make(1.0)
    with pytest.raises(ValueError, match="beta must be a positive number"):
        f_beta(0.0)
    assert f_beta(1.0) is METRICS["f1"]


def test_only_on_request(rng: np.random.Generator) -> None:
    y, said = labels(rng)
    told = evaluate_predictions(y, pred=said, score=rng.normal(size=y.size), classes=[0, 1])
    assert list(told) == [
        "accuracy",
        "balanced_accuracy",
        "f1",
        "roc_auc",
        "average_precision",
        "log_loss",
        "brier_score",
    ]


@pytest.mark.parametrize("name", ["precision", "recall", "specificity", "f2", "mcc", "cohen_kappa", "lift"])
def test_groups_and_differences(name: str, rng: np.random.Generator) -> None:
    """Three copies of each row in one group have the interval of the rows, up to its quantile."""
    y, score = rng.random(900) < 0.5, rng.normal(size=900)
    score = score + y
    many = {
        "score": np.repeat(score, 3),
        "pred": np.repeat(score > 0.5, 3),
        "groups": np.repeat(np.arange(900), 3),
    }
    one = classification(y, score=score, pred=score > 0.5, classes=[False, True])
    copies = classification(np.repeat(y, 3), classes=[False, True], **many)
    a, b = METRICS[name].interval(one, 0.95), METRICS[name].interval(copies, 0.95)
    assert b.value == pytest.approx(a.value, rel=1e-12)
    assert b.high - b.low == pytest.approx(a.high - a.low, rel=0.08)
    other = rng.normal(size=900)
    worse = classification(y, score=other, pred=other > 0.0, classes=[False, True])
    gap, error = METRICS[name].difference([one], [worse], None, 0.95)
    assert gap.low > 0.0
    assert error > 0.0


@pytest.mark.parametrize("name", ["precision", "recall", "specificity", "f2", "mcc", "cohen_kappa"])
@pytest.mark.full  # simulated
def test_coverage_of_labels(name: str) -> None:
    """20 % positive, sensitivity 0.6, specificity 0.9: the truth is in the expected table."""
    rng = np.random.default_rng(3)
    table = np.array([[0.72, 0.08], [0.08, 0.12]])
    cells = np.array([(0, 0), (0, 1), (1, 0), (1, 1)])
    truth = of_labels(name, cells[:, 0], cells[:, 1])(table.ravel())
    hits = []
    for _ in range(1200):
        rows = cells[rng.choice(4, size=200, p=table.ravel())]
        e = evaluate_predictions(rows[:, 0], pred=rows[:, 1], classes=[0, 1], metrics=name)[name]
        hits.append(e.low <= truth <= e.high)
    assert 0.93 - 2.5 * 0.0063 <= np.mean(hits) <= 0.97 + 2.5 * 0.0063


@pytest.mark.parametrize("share", [0.1, 0.3])
@pytest.mark.full  # simulated
def test_coverage_of_lift(share: float) -> None:
    """Normal scores that tell the class by a logistic law: the truth by quadrature."""
    rng = np.random.default_rng(4)
    z = np.linspace(-9.0, 9.0, 20001)
    density, rate = stats.norm.pdf(z), 1.0 / (1.0 + np.exp(1.0 - 1.5 * z))
    above = z >= stats.norm.ppf(1.0 - share)
    truth = (
        np.sum(density * rate * above) / np.sum(density * rate) / (np.sum(density * above) / np.sum(density))
    )
    metric, hits = lift(share), []
    for _ in range(800):
        score = rng.normal(size=600)
        y = rng.random(600) < 1.0 / (1.0 + np.exp(1.0 - 1.5 * score))
        e = evaluate_predictions(y, score=score, classes=[False, True], metrics=metric)[metric.name]
        hits.append(e.low <= truth <= e.high)
    assert 0.93 - 2.5 * 0.0077 <= np.mean(hits) <= 0.97 + 2.5 * 0.0077


@pytest.mark.parametrize("name", ["pinball(0.9)", "d2_pinball(0.9)", "d2_absolute", "d2_log_loss"])
@pytest.mark.full  # simulated
def test_coverage_of_shares_and_quantiles(name: str) -> None:
    rng = np.random.default_rng(5)
    metric = {"pinball(0.9)": pinball(0.9), "d2_pinball(0.9)": d2_pinball(0.9)}.get(name, name)

    def draw(n: int) -> tuple[np.ndarray, dict[str, object]]:
        x = rng.normal(size=n)
        if name == "d2_log_loss":
            rate = 1.0 / (1.0 + np.exp(-x))
            return rng.random(n) < rate, {"proba": 1.0 / (1.0 + np.exp(-1.3 * x)), "classes": [False, True]}
        return x + rng.normal(size=n), {"pred": x + (1.2 if "0.9" in name else 0.0)}

    y, told = draw(400_000)
    truth = evaluate_predictions(y, metrics=metric, **told)[name].value  # type: ignore[arg-type]
    hits = []
    for _ in range(800):
        y, told = draw(150)
        e = evaluate_predictions(y, metrics=metric, **told)[name]  # type: ignore[arg-type]
        hits.append(e.low <= truth <= e.high)
    assert 0.93 - 2.5 * 0.0077 <= np.mean(hits) <= 0.97 + 2.5 * 0.0077


def test_cross_validated_and_left_one_out(rng: np.random.Generator) -> None:
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] + rng.normal(size=120) > 0.0, "yes", "no")
    wanted = ["recall", "mcc", f_beta(2.0)]
    found = er.cross_evaluate(er.LogisticRegression(), X, y, metrics=wanted, repeats=1, random_state=0)
    assert list(found) == ["recall", "mcc", "f2"]
    assert found.fold_scores("f2").shape == (5,)
    assert found.standard_error("f2") > 0.0
    left = er.selection.leave_one_out(er.LogisticRegression(), X, y, metrics=wanted)
    assert left["recall"].value == pytest.approx(found["recall"].value, abs=0.1)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_itself_after_a_pickle(name: str) -> None:
    assert pickle.loads(pickle.dumps(METRICS[name])) is METRICS[name]
