"""ER205: folds that are alike, and a last fold whose target is shifted."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold

from bench.alarms import data
from bench.alarms.harness import FAULT, Rng, scenario
from bench.alarms.rules import outlying_fold_rule

CODE = "ER205"


@scenario(CODE, "ridge, folds alike", n=(60, 300, 2000), runs=600, rule=outlying_fold_rule)
def alike(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n)
    return {"est": Ridge(1.0), "X": X, "y": y}


@scenario(CODE, "ridge, folds alike, K = 10", n=300, runs=600, rule=outlying_fold_rule)
def alike_ten(rng: Rng, n: int) -> dict[str, Any]:
    return {**alike(rng, n), "cv": 10}


@scenario(CODE, "ridge, t3 noise, folds alike", n=300, runs=600, rule=outlying_fold_rule)
def alike_t3(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n, noise="t3")
    return {"est": Ridge(1.0), "X": X, "y": y}


@scenario(CODE, "ridge, t3 noise, folds alike, K = 10", n=60, runs=600, rule=outlying_fold_rule)
def alike_t3_ten(rng: Rng, n: int) -> dict[str, Any]:
    return {**alike_t3(rng, n), "cv": 10}


@scenario(
    CODE,
    "logistic, stratified folds",
    n=(100, 1000),
    runs=300,
    rule=outlying_fold_rule,
    rule_runs=60,
)
def alike_logistic(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.logistic(rng, n)
    return {"est": LogisticRegression(), "X": X, "y": y}


@scenario(CODE, "logistic, three classes", n=300, runs=200)
def alike_three(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.three_classes(rng, n)
    return {"est": LogisticRegression(), "X": X, "y": y}


@scenario(CODE, "ridge, 60 groups", n=300, runs=600)
def alike_groups(rng: Rng, n: int) -> dict[str, Any]:
    X, y, g = data.grouped(rng, n, 60)
    return {"est": Ridge(5.0), "X": X, "y": y, "groups": g}


@scenario(CODE, "boosted trees, folds alike", n=300, runs=100)
def alike_boosting(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.friedman(rng, n)
    return {"est": HistGradientBoostingRegressor(max_iter=30, random_state=0), "X": X, "y": y}


@scenario(
    CODE,
    "ridge, last fifth shifted by one sd",
    truth=FAULT,
    n=(60, 300),
    rule=outlying_fold_rule,
    least=(10, 70),
)
def shifted(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n)
    y[-(n // 5) :] += 1.0
    return {"est": Ridge(1.0), "X": X, "y": y, "cv": KFold(5)}


@scenario(CODE, "logistic, labels of the last fifth are noise", truth=FAULT, n=300, runs=200,
          rule=outlying_fold_rule, rule_runs=60, least=90)  # fmt: skip
def shifted_logistic(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.logistic(rng, n, size=2.5)
    last = n // 5
    y[-last:] = rng.integers(2, size=last)
    return {"est": LogisticRegression(), "X": X, "y": y, "cv": KFold(5)}
