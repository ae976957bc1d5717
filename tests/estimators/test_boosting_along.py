"""Models of the first rounds of one fit ask each tree once about the rows, and answer as single fits do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import empirisk as er
from empirisk.estimators.trees import boosting_along
from empirisk.estimators.trees.boosting_along import ALONG, Along, sums_of

ROUNDS = [3, 8, 8, 5, 12]


@pytest.fixture
def made(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    X = rng.normal(size=(120, 3))
    return X, X[:, 0] + rng.normal(size=120), rng.normal(size=(40, 3))


@pytest.mark.parametrize("kind", ["Regressor", "Classifier", "quantiles"])
def test_models_along_the_rounds_say_what_single_fits_say(kind: str, made: Any) -> None:
    X, y, new = made
    est: Any = er.GradientBoostingRegressor(early_stopping=False)
    if kind == "quantiles":
        est = er.GradientBoostingRegressor(loss="quantile", q=(0.2, 0.8), early_stopping=False)
    if kind == "Classifier":
        est, y = er.GradientBoostingClassifier(early_stopping=False), np.digitize(y, [-0.5, 0.5])
    for value, model in zip(ROUNDS, est._fit_each(X, y, "n_estimators", ROUNDS), strict=True):
        own = clone(est).set_params(n_estimators=value).fit(X, y)
        for rows in (new, X):
            assert np.allclose(_said(model, rows), _said(own, rows), rtol=1e-12, atol=1e-14)
        assert model.certificate_.claim == own.certificate_.claim
        assert vars(model).keys() == vars(own).keys()
    assert not ALONG  # later each model counts all of its trees
    assert np.array_equal(_said(model, new), _said(own, new))


def _said(model: Any, rows: Any) -> Any:
    return model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows)


def test_each_tree_is_asked_once_about_the_same_rows(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, new = made
    asked: list[int] = []

    def counted(outputs: Any, rows: Any) -> Any:
        asked.append(len(outputs[0]))
        return sums_of(outputs, rows)

    monkeypatch.setattr(boosting_along, "sums_of", counted)
    est = er.GradientBoostingRegressor(early_stopping=False)
    for model in est._fit_each(X, y, "n_estimators", [3, 8, 20]):
        model.predict(new)
        model.predict(new)
    assert asked == [3, 5, 12]


def test_fewer_rounds_and_other_rows_begin_anew(made: Any) -> None:
    X, y, new = made
    model = er.GradientBoostingRegressor(n_estimators=9, early_stopping=False).fit(X, y)
    along = Along(model._outputs)
    for rows, rounds in ((new, 4), (X, 6), (new, 9), (X, 2), (new.copy(), 3), (new, 9)):
        table = along.table(rows, lambda rows=rows: model._table(rows))
        first = tuple(trees[:rounds] for trees in model._outputs)
        assert np.allclose(along.sums(table, table.X, rounds), sums_of(first, rows), rtol=1e-13, atol=1e-15)
