"""Weights of rows in searches: in fits, in scores, in races and in the corrected score."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er

RNG = np.random.default_rng(5)
N = 150
X = RNG.normal(size=(N, 3))
Y = X[:, 0] + RNG.normal(size=N)
W = RNG.integers(0, 4, size=N).astype(float)
FOLDS: dict[str, Any] = {"cv": 4, "repeats": 2, "random_state": 3}

CASES = [
    (er.Ridge(), {"alpha": [0.01, 1.0]}, "mse"),
    (er.LogisticRegression(), {"alpha": [0.01, 1.0]}, "accuracy"),
    (er.LogisticRegression(), {"fit_intercept": [True, False]}, "roc_auc"),
    (er.Ridge(), {"alpha": [0.01, 1.0]}, "neg_median_absolute_error"),
    (er.RandomForestRegressor(4, random_state=0), {"min_samples_leaf": [1, 5]}, "mae"),
    (make_pipeline(StandardScaler(), er.Ridge()), {"ridge__alpha": [0.01, 1.0]}, "mse"),
]


def targets(est: Any) -> Any:
    return (Y > 0.0).astype(int) if hasattr(est, "predict_proba") else Y


@pytest.mark.parametrize(("est", "grid", "metric"), CASES)
def test_each_candidate_has_its_weighted_score_by_cross_validation(est: Any, grid: Any, metric: str) -> None:
    y, (name, values) = targets(est), next(iter(grid.items()))
    found = er.selection.GridSearch(est, grid, metric=metric, **FOLDS).fit(X, y, sample_weight=W)
    for value, score in zip(values, found.result_.scores, strict=True):
        one = clone(est).set_params(**{name: value})
        alone = er.cross_evaluate(one, X, y, metrics=metric, sample_weight=W, **FOLDS)
        told = next(iter(alone.values()))
        assert score.value == pytest.approx(told.value, rel=1e-9)
        assert score.low == pytest.approx(told.low, rel=1e-9)
        assert score.method == told.method
    key = "sample_weight" if not hasattr(est, "steps") else "ridge__sample_weight"
    whole = clone(est).set_params(**found.best_params_).fit(X, y, **{key: W})
    assert found.best_estimator_.predict(X) == pytest.approx(whole.predict(X), rel=1e-6, abs=1e-6)


def test_rows_of_weight_zero_do_not_choose() -> None:
    """Half of the rows follow another law, which would be followed by another strength."""
    y = np.where(np.arange(N) < 75, Y, 50.0 * RNG.normal(size=N))
    w = (np.arange(N) < 75).astype(float)
    grid = {"alpha": [1e-3, 100.0]}
    for racing in (None, 0.05):
        told = er.selection.GridSearch(er.Ridge(), grid, metric="mse", racing=racing, **FOLDS)
        assert told.fit(X, y, sample_weight=w).best_params_ == {"alpha": 1e-3}
        assert told.best_score_.value < 3.0


@pytest.mark.parametrize("racing", [None, 0.05])
def test_equal_weights_are_no_weights(racing: float | None) -> None:
    grid = {"alpha": [0.01, 1.0, 100.0]}
    plain, same = (
        er.selection.GridSearch(er.Ridge(), grid, metric="mse", racing=racing, **FOLDS).fit(
            X, Y, sample_weight=w
        )
        for w in (None, np.full(N, 3.0))
    )
    assert same.best_params_ == plain.best_params_
    assert same.result_.states == plain.result_.states
    assert same.best_score_.value == pytest.approx(plain.best_score_.value, rel=1e-6)


def test_tuning_and_nesting_take_weights() -> None:
    found = er.tune(er.Ridge(), X, Y, budget=10, metric="mse", sample_weight=W, cv=4)
    alone = er.cross_evaluate(
        er.Ridge().set_params(**found.params), X, Y, metrics="mse", cv=4, repeats=1, random_state=0,
        sample_weight=W,
    )["mse"]  # fmt: skip
    assert found.result.scores[found.result.best].value == pytest.approx(alone.value, rel=1e-9)
    search = er.selection.GridSearch(er.Ridge(), {"alpha": [0.01, 1.0]}, metric="mse", **FOLDS)
    nested = er.selection.nested_cross_evaluate(
        search, X, Y, cv=4, metrics="mse", random_state=0, sample_weight=W
    )
    plan = nested.fitted.plan
    losses, mass = 0.0, 0.0
    for train, test in plan.splits:
        inner = clone(search).fit(X[train], Y[train], sample_weight=W[train])
        losses += float(W[test] @ (Y[test] - inner.predict(X[test])) ** 2)
        mass += float(W[test].sum())
    assert nested["mse"].value == pytest.approx(losses / mass, rel=1e-9)


class Plain(RegressorMixin, BaseEstimator):
    """A mean, whose fit takes no weights."""

    def __init__(self, times: float = 1.0) -> None:
        self.times = times

    def fit(self, X: Any, y: Any) -> Any:
        self.mean_ = self.times * float(np.mean(y))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


def test_weights_that_no_fit_takes_are_refused() -> None:
    search = er.selection.GridSearch(Plain(), {"times": [0.5, 1.0]}, metric="mse", **FOLDS)
    with pytest.raises(TypeError, match="takes no sample_weight"):
        search.fit(X, Y, sample_weight=W)
    with pytest.raises(ValueError, match="sample_weight"):
        er.selection.GridSearch(er.Ridge(), {"alpha": [0.5, 1.0]}, **FOLDS).fit(X, Y, sample_weight=-W)
