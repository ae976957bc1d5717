"""The study of tuned boosting: tables load without the answer, both tune, and the page says what came out."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bench.tuning import models
from bench.tuning.data import MOST, TABLES
from bench.tuning.page import page, row, stored
from empirisk.selection import METRICS


@pytest.mark.parametrize("name", TABLES)
def test_a_table_loads_without_its_answer(name: str) -> None:
    X, y = TABLES[name].load()
    assert 400 < len(X) == len(y) <= MOST
    assert TABLES[name].metric in METRICS
    assert np.isfinite(y).all()
    for column in X.select_dtypes("number"):
        told = pd.Series(y).groupby(X[column].to_numpy()).nunique()
        assert X[column].nunique() > 0.9 * len(y) or told.max() > 1, f"{column} tells the answer"


def test_differences_that_exclude_zero_are_bold() -> None:
    d = {"low": 0.1, "high": 0.3, "value": 0.2, "text": ""}
    found = {"rows": 10, "columns": 2, "held_out": 3, "ours": "1", "difference": d}
    assert "**0.20 [0.10, 0.30]**" in row("cancer", found)
    assert "| 0.20 [-0.10, 0.30] |" in row("cancer", found | {"difference": {**d, "low": -0.1}})
    assert page().count("\n| ") == 1 + len(stored())
    assert set(stored()) <= set(TABLES)


def test_ours_gets_as_many_fits_as_the_trials_of_the_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {}
    monkeypatch.setattr(models.er, "tune", lambda *a, **k: asked.update(k) or SimpleNamespace(model=a[0]))
    models.ours("poisson", "poisson_deviance").fit(pd.DataFrame({"a": [1.0, 2.0]}), np.array([0.0, 1.0]))
    assert asked["budget"] == models.TRIALS * models.FOLDS
    assert (asked["cv"], asked["metric"]) == (models.FOLDS, "poisson_deviance")


@pytest.mark.full  # fits of both libraries
@pytest.mark.parametrize("loss", ["classes", "half_squared"])
def test_both_tune_themselves(loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lightgbm")
    monkeypatch.setattr(models, "TRIALS", 2)
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 3)), columns=["a", "b", "c"])
    y = X["a"].to_numpy() + 0.1 * rng.normal(size=150)
    y = (y > 0.0).astype(int) if loss == "classes" else y
    for make in (models.ours, models.light):
        model = make(loss, "log_loss" if loss == "classes" else "mse").fit(X, y)
        wrong = np.mean(model.predict(X) != y) if loss == "classes" else np.mean((model.predict(X) - y) ** 2)
        assert wrong < 0.2
