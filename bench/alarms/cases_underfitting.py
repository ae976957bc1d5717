"""ER202: straight truths, and curves that a linear model misses."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from bench.alarms import data
from bench.alarms.harness import FAULT, Rng, scenario
from bench.alarms.rules import near_dummy_rule

CODE = "ER202"


@scenario(CODE, "least squares, straight truth", n=(60, 300, 1000), rule=near_dummy_rule)
def straight(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n)
    return {"est": LinearRegression(), "X": X, "y": y}


@scenario(CODE, "least squares, straight truth, K = 10", n=300)
def straight_ten_folds(rng: Rng, n: int) -> dict[str, Any]:
    return {**straight(rng, n), "cv": 10}


@scenario(CODE, "logistic, straight truth", n=(200, 1000), runs=200, rule=near_dummy_rule, rule_runs=60)
def straight_logistic(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.logistic(rng, n)
    return {"est": LogisticRegression(), "X": X, "y": y}


@scenario(CODE, "logistic, straight truth, three classes", n=300, runs=150)
def straight_three_classes(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.three_classes(rng, n)
    return {"est": LogisticRegression(), "X": X, "y": y}


@scenario(CODE, "one-hot and logistic, additive truth", n=300, runs=150)
def additive_levels(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.levels(rng, n)
    coded = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), [0, 1]), remainder="passthrough")
    return {"est": make_pipeline(coded, LogisticRegression()), "X": X, "y": y}


@scenario(CODE, "least squares, 60 groups, straight truth", n=300)
def straight_groups(rng: Rng, n: int) -> dict[str, Any]:
    X, y, g = data.grouped(rng, n, 60)
    return {"est": LinearRegression(), "X": X, "y": y, "groups": g}


@scenario(CODE, "least squares, 30 groups, straight truth", n=150)
def straight_few_groups(rng: Rng, n: int) -> dict[str, Any]:
    X, y, g = data.grouped(rng, n, 31)
    return {"est": LinearRegression(), "X": X, "y": y, "groups": g}


@scenario(CODE, "random forest against boosted trees, straight truth", n=300, runs=40)
def forest(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n)
    return {"est": RandomForestRegressor(60, min_samples_leaf=3, random_state=0), "X": X, "y": y}


@scenario(
    CODE,
    "least squares, a square of size 0.6",
    truth=FAULT,
    n=(300, 1000),
    rule=near_dummy_rule,
    least=(50, 95),
)
def square(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.curved(rng, n, 0.6)
    return {"est": LinearRegression(), "X": X, "y": y}


@scenario(CODE, "logistic, a square in the log-odds", truth=FAULT, n=(300, 1000), runs=200, least=(2, 85))
def square_logistic(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.logistic(rng, n, a=0.8)
    return {"est": LogisticRegression(), "X": X, "y": y}


@scenario(CODE, "least squares on 40 columns, Friedman", truth=FAULT, n=500, runs=30, least=80)
def many_columns(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.friedman(rng, n)
    more = rng.normal(size=(n, 30))  # so that boosted trees are tried instead of squares
    return {"est": LinearRegression(), "X": np.hstack([X, more]), "y": y}
