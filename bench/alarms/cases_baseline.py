"""ER204: pure noise, and weak signals that must not be called none."""

from __future__ import annotations

from typing import Any

from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from bench.alarms import data
from bench.alarms.harness import FAULT, Rng, scenario
from bench.alarms.rules import near_dummy_rule

CODE = "ER204"


@scenario(CODE, "ridge, signal a tenth of the noise", n=(200, 1000), rule=near_dummy_rule)
def weak(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n, snr=0.1)
    return {"est": Ridge(1.0), "X": X, "y": y}


@scenario(CODE, "ridge, signal a tenth of the noise, K = 10", n=200)
def weak_ten_folds(rng: Rng, n: int) -> dict[str, Any]:
    return {**weak(rng, n), "cv": 10}


@scenario(CODE, "logistic, weak signal", n=(300, 1000), runs=200, rule=near_dummy_rule, rule_runs=60)
def weak_logistic(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.logistic(rng, n, size=0.7)
    return {"est": LogisticRegression(), "X": X, "y": y}


@scenario(CODE, "logistic, weak signal, three classes", n=300, runs=150)
def weak_three_classes(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.three_classes(rng, n, size=0.8)
    return {"est": LogisticRegression(), "X": X, "y": y}


@scenario(CODE, "one-hot and logistic, weak signal", n=300, runs=150)
def weak_levels(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.levels(rng, n, 0.6)
    coded = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), [0, 1]), remainder="passthrough")
    return {"est": make_pipeline(coded, LogisticRegression()), "X": X, "y": y}


@scenario(CODE, "ridge, weak signal, 60 groups", n=300)
def weak_groups(rng: Rng, n: int) -> dict[str, Any]:
    X, y, g = data.grouped(rng, n, 60)
    return {"est": Ridge(5.0), "X": X, "y": y, "groups": g}


@scenario(CODE, "boosted trees, weak signal", n=500, runs=40)
def weak_boosting(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n, snr=0.3)
    est = HistGradientBoostingRegressor(max_iter=40, learning_rate=0.05, max_leaf_nodes=4, random_state=0)
    return {"est": est, "X": X, "y": y}


@scenario(CODE, "ridge, pure noise", truth=FAULT, n=(60, 200, 1000), rule=near_dummy_rule, least=(25, 45, 95))
def noise(rng: Rng, n: int) -> dict[str, Any]:
    X = rng.normal(size=(n, 5))
    return {"est": Ridge(1.0), "X": X, "y": rng.normal(size=n)}


@scenario(
    CODE, "logistic, pure noise", truth=FAULT, n=(200, 1000), runs=200, rule=near_dummy_rule, rule_runs=60
)
def noise_logistic(rng: Rng, n: int) -> dict[str, Any]:
    X = rng.normal(size=(n, 5))
    return {"est": LogisticRegression(), "X": X, "y": rng.integers(2, size=n)}
