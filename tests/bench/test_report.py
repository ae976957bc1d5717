"""The study of reports: tables are cut without loss, forecasts are read, and differences are marked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bench.report.__main__ import measure
from bench.report.command import forecast, promised
from bench.report.page import page, row, stored
from bench.report.tables import TARGET, Halves
from bench.tuning.data import TABLES


def parts(regression: bool = True) -> Halves:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=180), "kind": pd.Categorical(np.tile(["x", "y", None], 60))})
    y = X["a"].to_numpy() + 0.3 * rng.normal(size=180)
    y = y if regression else (y > 0.0).astype(int)
    train, test = X[:120], X[120:].reset_index(drop=True)
    return Halves(train, test, y[:120], y[120:], "regression" if regression else "binary")


def test_parts_keep_their_values_and_their_gaps() -> None:
    frame = parts(False).with_target("test")
    assert frame["kind"].tolist()[:2] == ["x", "y"]
    assert frame["kind"].isna().sum() == 20
    assert set(frame[TARGET]) == {"0", "1"}


def test_the_forecast_of_a_plan_is_read() -> None:
    told = forecast("Plan: hold out 20 %; 5 folds; 14 candidates; about 1,335 s, 0.5 GB\nFitting")
    assert told == {"forecast_seconds": 1335.0, "forecast_bytes": 5e8}
    with pytest.raises(ValueError, match="hold no forecast"):
        forecast("Plan: none")


def test_the_promise_is_the_corrected_score_where_there_was_a_choice() -> None:
    score = {"value": 1.0, "low": 0.5, "high": 1.5, "n": 9, "method": "m", "level": 0.95}
    report: dict[str, Any] = {"candidates": [{"chosen": True, "score": score}], "selection": {"winner": None}}
    assert promised(report)["value"] == 1.0
    report["selection"]["winner"] = {"corrected": score | {"value": 2.0}}
    assert promised(report)["value"] == 2.0


def test_differences_that_exclude_zero_are_bold() -> None:
    e = {"value": 1.0, "low": 0.9, "high": 1.1, "n": 50, "method": "m"}
    found = {"rows": 10, "columns": 2, "held_out": 3, "seconds": 12.0, "forecast_seconds": 10.0}
    found |= {"peak_bytes": 5e8, "forecast_bytes": 4e8, "model": "Ridge", "metric": "mse"}
    found |= {"promised": e, "kept": e | {"value": 2.0, "low": 1.9, "high": 2.1}}
    assert "| **1.00 [0.86, 1.14]** |" in row("wine", found)
    behind = row("wine", found | {"difference": e | {"value": 0.0, "low": -0.2, "high": 0.2}})
    assert behind.endswith("| 0.00 [-0.20, 0.20] |")
    assert page().count("\n| ") == 1 + len(stored())
    assert set(stored()) <= set(TABLES)


@pytest.mark.full  # two reports by the command, in processes of their own
@pytest.mark.parametrize("regression", [True, False])
def test_a_report_is_measured(regression: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.report.__main__.halves", lambda name, seed: parts(regression))
    found = measure("wine" if regression else "cancer", peer=False)
    assert found["rows"] == 120
    assert found["cpu"] > 0.0
    assert 1e8 < found["peak_bytes"] < 1e10
    kept = found["kept"]
    assert kept["low"] < kept["value"] < kept["high"]
    assert kept["value"] < (0.5 if regression else 0.6)
    assert Path("train.parquet").exists() is False
