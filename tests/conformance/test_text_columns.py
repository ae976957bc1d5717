"""Columns of text in every estimator that takes categories: read as columns with a type of categories."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import is_classifier

from empirisk.estimators import REGISTRY

TAKERS = sorted(
    name for name, cls in REGISTRY.items() if "categorical_features" in inspect.signature(cls).parameters
)
FEW = {"n_estimators": 3, "random_state": 0, "alpha": 0.01}


def made(name: str) -> Any:
    known = inspect.signature(REGISTRY[name]).parameters
    own = known.keys() - ({"alpha"} if name.startswith(("Decision", "Hurdle", "Zero")) else set())
    return REGISTRY[name](**{k: v for k, v in FEW.items() if k in own})


def table() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return a number and a column of words, three ordered classes, and sets of matched rows."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"age": rng.uniform(20.0, 70.0, 180), "town": rng.choice(["oslo", "bern", "rome"], 180)})
    score = 0.05 * X["age"] + 1.5 * (X["town"] == "rome") + rng.logistic(size=180)
    return X, np.digitize(score, np.quantile(score, [0.4, 0.7])), np.arange(180) // 6


def answers(name: str, X: Any, y: Any, groups: Any) -> Any:
    model = made(name)
    target = y if is_classifier(model) else y + 0.5 * (name == "GammaRegressor")
    if name == "ZeroInflatedRegressor":
        target = np.where(np.arange(len(y)) % 3 == 0, 0, 3 + y)  # more zeros than the counts have
    if name in ("HalfspaceClassifier", "ConditionalLogit", "Perceptron", "BayesianGLM"):
        target = np.minimum(y, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name == "ConditionalLogit":
            return model.fit(X, target, groups=groups).predict_proba(X, groups)
        return model.fit(X, target).predict(X)


@pytest.mark.parametrize("name", TAKERS)
def test_text_is_read_as_categories(name: str) -> None:
    X, y, groups = table()
    typed = X.assign(town=pd.Categorical(X["town"], categories=sorted(set(X["town"]))))
    want = answers(name, typed, y, groups)
    for frame in (X, X.astype({"town": object}), pl.from_pandas(X)):
        np.testing.assert_array_equal(np.asarray(answers(name, frame, y, groups)), want)


@pytest.mark.parametrize("name", ["LinearRegression", "Ridge", "DecisionTreeClassifier"])
def test_numbers_written_as_text_are_told(name: str) -> None:
    """One odd cell makes a column of numbers one of text, which would be many categories without a word."""
    X, y, _ = table()
    written = X.assign(age=[f"{5 * round(v / 5)}" for v in X["age"]])
    with pytest.warns(UserWarning, match="ER007: column 'age' of X holds text that reads as numbers, and is"):
        made(name).fit(written, y)
    odd = written.assign(age=["unknown", *written["age"][1:]])
    with pytest.warns(UserWarning, match="reads as numbers but for 'unknown'"):
        made(name).fit(odd, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(name).fit(X.assign(town=np.arange(180) % 9).astype({"town": str}), y)  # few levels: codes
        made(name).set_params(categorical_features=["age", "town"]).fit(written, y)
        made(name).fit(written.astype({"age": "category"}), y)
