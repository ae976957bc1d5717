"""ER201: models that are regularised well, and models that are not."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from bench.alarms import data
from bench.alarms.harness import FAULT, Rng, scenario
from bench.alarms.rules import gap_rule

CODE = "ER201"


@scenario(CODE, "ridge(20), 20 columns", n=(60, 200, 1000), rule=gap_rule)
def ridge(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n, 20)
    return {"est": Ridge(20.0), "X": X, "y": y}


@scenario(CODE, "ridge(20), 20 columns, t3 noise", n=(60, 200), rule=gap_rule)
def ridge_t3(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n, 20, "t3")
    return {"est": Ridge(20.0), "X": X, "y": y}


@scenario(CODE, "ridge(20), 20 columns, K = 3", n=200, rule=gap_rule)
def ridge_three_folds(rng: Rng, n: int) -> dict[str, Any]:
    return {**ridge(rng, n), "cv": 3}


@scenario(CODE, "ridge(20), 20 columns, K = 10", n=200, rule=gap_rule)
def ridge_ten_folds(rng: Rng, n: int) -> dict[str, Any]:
    return {**ridge(rng, n), "cv": 10}


@scenario(CODE, "logistic C = 1, 5 columns", n=(100, 1000), runs=200, rule=gap_rule, rule_runs=100)
def logistic(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.logistic(rng, n)
    return {"est": LogisticRegression(), "X": X, "y": y}


@scenario(CODE, "logistic C = 1, three classes", n=300, runs=200, rule=gap_rule, rule_runs=100)
def three_classes(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.three_classes(rng, n)
    return {"est": LogisticRegression(), "X": X, "y": y}


@scenario(
    CODE,
    "one-hot and logistic, categorical columns",
    n=300,
    runs=150,
    rule=gap_rule,
    rule_runs=60,
)
def categories(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.levels(rng, n)
    coded = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), [0, 1]), remainder="passthrough")
    return {"est": make_pipeline(coded, LogisticRegression()), "X": X, "y": y}


@scenario(CODE, "ridge(5), 60 groups", n=300, rule=gap_rule)
def groups(rng: Rng, n: int) -> dict[str, Any]:
    X, y, g = data.grouped(rng, n, 60)
    return {"est": Ridge(5.0), "X": X, "y": y, "groups": g}


@scenario(CODE, "random forest (30 trees, leaves of 5), three classes", n=300, runs=30,
          rule=gap_rule, rule_runs=20)  # fmt: skip
def forest(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.three_classes(rng, n)
    return {"est": RandomForestClassifier(30, min_samples_leaf=5, random_state=0), "X": X, "y": y}


@scenario(CODE, "boosted trees, 60 rounds, Friedman", n=300, runs=60, rule=gap_rule, rule_runs=20)
def boosting(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.friedman(rng, n)
    return {"est": HistGradientBoostingRegressor(max_iter=60, random_state=0), "X": X, "y": y}


@scenario(CODE, "least squares, 20 columns (gain near the margin)", n=200, rule=gap_rule)
def least_squares_enough_rows(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n, 20)
    return {"est": LinearRegression(), "X": X, "y": y}


@scenario(CODE, "least squares, 20 columns", truth=FAULT, n=60, rule=gap_rule, least=20)
def least_squares(rng: Rng, n: int) -> dict[str, Any]:
    return least_squares_enough_rows(rng, n)


@scenario(CODE, "logistic without a penalty, 10 columns", truth=FAULT, n=(80, 160), runs=200)
def logistic_unpenalised(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.logistic(rng, n, 10)
    return {"est": LogisticRegression(C=np.inf, max_iter=200), "X": X, "y": y}


@scenario(CODE, "1-NN, two classes", truth=FAULT, n=(60, 200), rule=gap_rule, least=(90, 95))
def nearest_neighbour(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.logistic(rng, n)
    return {"est": KNeighborsClassifier(1), "X": X, "y": y}


@scenario(CODE, "unpruned tree, Friedman", truth=FAULT, n=(100, 300), rule=gap_rule, least=(70, 95))
def tree(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.friedman(rng, n)
    return {"est": DecisionTreeRegressor(random_state=0), "X": X, "y": y}


@scenario(CODE, "boosted trees, 300 rounds, noisy curve", truth=FAULT, n=300, runs=20)
def boosting_too_long(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.curved(rng, n, 1.0)
    return {"est": HistGradientBoostingRegressor(max_iter=300, random_state=0), "X": X, "y": y}
