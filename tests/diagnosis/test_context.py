"""What findings see: losses by scikit-learn, folds, reuse, counts; the user's estimator stays as it was."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import empirisk as er
from empirisk.diagnosis import context
from empirisk.diagnosis.answer import NotRun

Sample = tuple[np.ndarray, np.ndarray]


@pytest.fixture
def classes(rng: np.random.Generator) -> Sample:
    X = rng.normal(size=(300, 3))
    return X, (X[:, 0] + rng.normal(size=300) > 0.4).astype(int)


@pytest.fixture
def numbers(rng: np.random.Generator) -> Sample:
    X = rng.normal(size=(200, 3))
    return X, X[:, 0] + rng.normal(size=200)


def by_hand(est: Any, X: np.ndarray, y: np.ndarray, ctx: Any, method: str) -> np.ndarray:
    out = [None] * len(y)
    for train, test in ctx.plan.splits:
        values = getattr(clone(est).fit(X[train], y[train]), method)(X[test])
        for i, v in zip(test, values, strict=True):
            out[i] = v
    return np.array(out)


def test_losses_are_those_of_the_out_of_fold_predictions(numbers: Sample, classes: Sample) -> None:
    X, y = numbers
    ctx = context(Ridge(), X, y, random_state=1)
    np.testing.assert_allclose(ctx.losses, (y - by_hand(Ridge(), X, y, ctx, "predict")) ** 2, rtol=1e-12)
    X, y = classes
    ctx = context(LogisticRegression(), X, y, random_state=1)
    p = by_hand(LogisticRegression(), X, y, ctx, "predict_proba")
    assert ctx.loss_name == "log loss"
    assert ctx.losses.mean() == pytest.approx(log_loss(y, p))


def test_baseline_is_the_mean_or_the_frequencies_of_the_training_rows(
    numbers: Sample, classes: Sample
) -> None:
    X, y = numbers
    ctx = context(Ridge(), X, y, random_state=1)
    train, test = ctx.plan.splits[2]
    np.testing.assert_allclose(ctx.baseline_losses[test], (y[test] - y[train].mean()) ** 2)
    assert ctx.margin == pytest.approx(0.02 * ctx.baseline_losses.mean())
    X, y = classes
    ctx = context(LogisticRegression(), X, y, random_state=1)
    train, test = ctx.plan.splits[0]
    p = (y[train].sum() + 0.5) / (train.size + 1.0)
    np.testing.assert_allclose(ctx.baseline_losses[test], -np.log(np.where(y[test] == 1, p, 1 - p)))


def test_the_brier_score_where_the_log_loss_is_infinite(classes: Sample) -> None:
    X, y = classes
    ctx = context(DecisionTreeClassifier(random_state=0), X, y, random_state=1)
    assert ctx.loss_name == "Brier score"
    p = by_hand(DecisionTreeClassifier(random_state=0), X, y, ctx, "predict_proba")[:, 1]
    assert ctx.losses.mean() == pytest.approx(brier_score_loss(y, p))


def test_an_alternative_pays_finitely_for_probability_zero(classes: Sample) -> None:
    X, y = classes
    ctx = context(LogisticRegression(), X, y, random_state=1)
    losses = ctx.row_losses(ctx.out_of_fold(KNeighborsClassifier(1)))
    wrong = losses > 1.0
    assert np.isfinite(losses).all()
    assert wrong.any()
    share = np.array([(y == 0).mean(), (y == 1).mean()])[y]
    np.testing.assert_allclose(losses[wrong], -np.log(share[wrong] / 300), rtol=0.02)


def test_no_probabilities_no_loss(classes: Sample) -> None:
    with pytest.raises(NotRun, match=r"LinearSVC has no predict_proba.*CalibratedClassifierCV"):
        _ = context(LinearSVC(), *classes).losses


def test_constant_target_has_no_loss_to_improve(rng: np.random.Generator) -> None:
    with pytest.raises(NotRun, match="constant"):
        _ = context(Ridge(), rng.normal(size=(60, 2)), np.ones(60)).losses


def test_fits_are_counted_once_and_cached(numbers: Sample) -> None:
    ctx = context(Ridge(), *numbers, random_state=1)
    first = ctx.out_of_fold(Ridge(10.0))
    assert ctx.out_of_fold(Ridge(10.0)) is first
    assert ctx.n_fits == 5
    assert ctx.out_of_fold(Ridge(11.0)) is not first
    assert ctx.n_fits == 10
    np.testing.assert_allclose(first.pred, by_hand(Ridge(10.0), *numbers, ctx, "predict"))


def test_many_rows_are_scored_on_few_folds(rng: np.random.Generator) -> None:
    X = rng.normal(size=(6000, 2))
    y = X[:, 0] + rng.normal(size=6000)
    ctx = context(LinearRegression(), X, y, random_state=1)
    assert ctx.scored.size == 2400
    assert set(ctx.fold[ctx.scored]) == {0, 1}
    p = ctx.out_of_fold(Ridge(5.0))
    assert ctx.n_fits == 2
    np.testing.assert_allclose(p.pred, by_hand(Ridge(5.0), X, y, ctx, "predict")[ctx.scored])
    np.testing.assert_array_equal(p.y, y[ctx.scored])
    d = ctx.compare(ctx.row_losses(p, ctx.scored))
    assert d.n == 2400
    assert d.gain == pytest.approx((ctx.losses[ctx.scored] - (p.y - p.pred) ** 2).mean())


@pytest.mark.parametrize("n", [300, 2000, 2001, 4000, 10_000, 50_000])
def test_at_least_two_thousand_rows_are_scored(n: int) -> None:
    X = np.zeros((n, 1))
    X[:, 0] = np.arange(n) / n
    ctx = context(LinearRegression(), X, np.sin(9 * X[:, 0]), random_state=0)
    assert min(n, 2000) <= ctx.scored.size <= max(2000 + n // 5 + 1, n // 5 + 1)


def test_folds_of_an_evaluation_are_taken_over(classes: Sample) -> None:
    X, y = classes
    ev = er.cross_evaluate(LogisticRegression(), X, y, random_state=3)
    ctx = context(LogisticRegression(), X, y, evaluation=ev)
    assert ctx.plan.splits == tuple(ev.plan.splits[:5])
    np.testing.assert_array_equal(ctx.losses, ev.losses("log_loss")[0])
    with pytest.raises(ValueError, match="other rows or another y"):
        context(LogisticRegression(), X[1:], y[1:], evaluation=ev)
    with pytest.raises(ValueError, match="other rows or another y"):
        context(LogisticRegression(), X, y[::-1], evaluation=ev)


def test_splits_that_leave_rows_out_are_refused(numbers: Sample) -> None:
    half = [(np.arange(100), np.arange(100, 150)), (np.arange(100), np.arange(150, 200))]
    with pytest.raises(ValueError, match="every row once"):
        context(Ridge(), *numbers, cv=half)
    assert len(context(Ridge(), *numbers, cv=KFold(4)).plan.splits) == 4


def test_the_estimator_is_not_touched(classes: Sample) -> None:
    X, y = classes
    est = LogisticRegression(C=0.3).fit(X[:50], y[:50])
    before = pickle.dumps(est)
    er.diagnose(est, X, y, random_state=0)
    assert pickle.dumps(est) == before


@pytest.mark.parametrize(
    ("argument", "value", "why"),
    [("time", np.arange(7), "time must hold one value"), ("groups", np.zeros(7), "groups")],
)
def test_wrong_lengths(numbers: Sample, argument: str, value: np.ndarray, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        context(Ridge(), *numbers, **{argument: value})
