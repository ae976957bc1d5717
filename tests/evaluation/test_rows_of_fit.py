"""An evaluation on the rows of the fit says so, for every model that keeps them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import empirisk as er

RNG = np.random.default_rng(2)
X = RNG.normal(size=(120, 3))
Y = X[:, 0] + RNG.normal(size=120)
LABELS = (Y > 0.0).astype(int)
KEEPERS = [
    er.LinearRegression(),
    er.Lasso(0.01),
    er.LogisticRegression(),
    er.GammaRegressor(),
    er.RandomForestRegressor(5, random_state=0),
    er.RandomForestClassifier(5, random_state=0),
    er.OrderedLogit(),
]


def targets(model: Any) -> Any:
    if isinstance(model, er.GammaRegressor):
        return np.exp(Y)
    return LABELS if hasattr(model, "predict_proba") else Y


@pytest.mark.parametrize("model", KEEPERS, ids=repr)
@pytest.mark.parametrize("made", [np.asarray, pd.DataFrame, lambda X: pl.DataFrame(X, schema=list("abc"))])
def test_rows_of_the_fit_are_not_called_held_out(model: Any, made: Any) -> None:
    rows, y = made(X), targets(model)
    model.fit(rows, y)
    assert "rows of its own fit" in repr(er.evaluate(model, made(X.copy()), y))
    for other in (made(X[:60]), made(X + 1e-9)):
        assert "held-out rows" in repr(er.evaluate(model, other, y[: len(other)]))


def test_large_rows_are_known_while_they_are_the_same_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("empirisk.estimators.training.KEPT_BYTES", 2_000)
    model = er.LinearRegression().fit(X, Y)
    assert "rows of its own fit" in repr(er.evaluate(model, X, Y, metrics="mse"))
    assert "held-out rows" in repr(er.evaluate(model, X + 0.0, Y, metrics="mse"))


def test_several_targets_say_so_too() -> None:
    both = np.column_stack([Y, -Y])
    model = er.Ridge(0.1).fit(X, both)
    assert "rows of its own fit, which flatter it" in repr(er.evaluate(model, X, both, metrics="mse"))
    assert "held-out rows, 2 targets" in repr(er.evaluate(model, X + 1.0, both, metrics="mse"))
