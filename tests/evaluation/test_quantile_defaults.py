"""Models of a quantile are judged by its pinball loss where nobody names a metric, ours and others' alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import mean_pinball_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.evaluation.compare import default_metric
from empirisk.evaluation.quantile_kinds import quantile_of

Q = 0.9
MODELS = [
    er.QuantileRegressor(Q),
    er.KernelQuantile(q=Q),
    er.GradientBoostingRegressor(loss="quantile", q=Q, n_estimators=5),
    make_pipeline(StandardScaler(), er.QuantileRegressor(Q)),
    QuantileRegressor(quantile=Q, alpha=0.0),
    GradientBoostingRegressor(loss="quantile", alpha=Q, n_estimators=5),
    HistGradientBoostingRegressor(loss="quantile", quantile=Q, max_iter=5),
]
OTHERS = [
    er.QuantileRegressor(),
    er.GradientBoostingRegressor(q=Q),
    GradientBoostingRegressor(alpha=Q),
    er.Ridge(),
    er.QuantileRegressor([0.1, 0.9]),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__module__ + type(m).__name__)
def test_a_quantile_is_judged_by_its_own_loss(model: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 2))
    y = X[:, 0] + rng.normal(size=80)
    model.fit(X, y)
    found = er.evaluate(model, X, y)
    assert list(found) == ["pinball(0.9)", "d2_pinball(0.9)"]
    assert found["pinball(0.9)"].value == pytest.approx(mean_pinball_loss(y, model.predict(X), alpha=Q))
    assert default_metric(model, model).name == "pinball(0.9)"  # type: ignore[union-attr]


def test_searches_and_comparisons_choose_by_it(rng: np.random.Generator) -> None:
    X = rng.normal(size=(120, 2))
    y = X[:, 0] + rng.normal(size=120)
    made: Any = lambda alpha: er.QuantileRegressor(Q, alpha=alpha)  # noqa: E731  two of a kind
    search = er.selection.GridSearch(made(0.0), {"alpha": [0.0, 1.0]}, cv=3, random_state=0).fit(X, y)
    assert search.result_.metric == "pinball(0.9)"
    assert search.best_params_ == {"alpha": 0.0}
    told = er.compare([made(0.0), made(1.0)], X, y, cv=3, random_state=0)
    assert "pinball(0.9)" in repr(told)
    assert list(er.cross_evaluate(made(0.0), X, y, cv=3, random_state=0)) == [
        "pinball(0.9)", "d2_pinball(0.9)",
    ]  # fmt: skip


@pytest.mark.parametrize("model", OTHERS, ids=repr)
def test_means_and_medians_keep_their_metrics(model: Any) -> None:
    assert quantile_of(model) is None


def test_a_metric_of_rows_and_a_name_that_is_none_are_answered_in_words(rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 2))
    model = er.Ridge().fit(X, X[:, 0])
    with pytest.raises(TypeError, match=r"returned an array of shape \(80,\); it must return one number"):
        er.evaluate(model, X, X[:, 0], metrics=lambda y, p: y == p)
    with pytest.raises(TypeError, match="returned 'good'"):
        er.evaluate(model, X, X[:, 0], metrics=lambda y, p: "good")
    with pytest.raises(ValueError, match="did you mean 'mse'"):
        er.evaluate(model, X, X[:, 0], metrics="rmse")
