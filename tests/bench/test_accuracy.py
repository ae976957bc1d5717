"""The accuracy study: tables load without the answer among the columns, and the page says what was found."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bench.accuracy.data import TASKS
from bench.accuracy.page import page, row
from empirisk.selection import METRICS


@pytest.mark.parametrize("name", TASKS)
def test_a_table_loads_without_its_answer(name: str) -> None:
    X, y = TASKS[name].load()
    assert len(X) == len(y) > 400
    assert TASKS[name].metric in METRICS
    assert np.isfinite(y).all()
    for column in X.select_dtypes("number"):
        told = pd.Series(y).groupby(X[column].to_numpy()).nunique()
        assert X[column].nunique() > 0.9 * len(y) or told.max() > 1, f"{column} tells the answer"


def test_differences_that_exclude_zero_are_bold() -> None:
    d = {"low": 0.1, "high": 0.3, "value": 0.2, "text": ""}
    found = {"rows": 10, "columns": 2, "ours": "1", "LightGBM": d, "scikit-learn": {**d, "low": -0.1}}
    line = row("cancer", found)
    assert "**0.20 [0.10, 0.30]**" in line
    assert "| 0.20 [-0.10, 0.30] |" in line
    assert page().count("\n| ") >= 1 + len(TASKS)


def test_the_libraries_have_equal_settings() -> None:
    pytest.importorskip("lightgbm")
    from bench.accuracy.models import MODELS

    for loss in ("classes", "half_squared", "absolute", "poisson"):
        ours, light, histogram = (make(loss).get_params() for make in MODELS.values())
        assert ours["n_estimators"] == light["n_estimators"] == histogram["max_iter"]
        assert ours["max_leaf_nodes"] == light["num_leaves"] == histogram["max_leaf_nodes"]
        assert ours["min_samples_leaf"] == light["min_child_samples"] == histogram["min_samples_leaf"]
        assert ours["learning_rate"] == light["learning_rate"] == histogram["learning_rate"]
        assert ours["l2"] == light["reg_lambda"] == histogram["l2_regularization"] == 0.0
        assert ours["max_bins"] == histogram["max_bins"] == 255
