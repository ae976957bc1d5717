"""ER214: normal errors, heavy tails, one gross error; labels drawn from the truth, and turned ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge

from bench.alarms.given import add
from bench.alarms.harness import FAULT, NULL, Rng
from bench.alarms.rules_data import cook_rule
from empirisk.diagnosis import Answer, Context, Outcome

CODE = "ER214"


def numbers(rng: Rng, n: int, kind: str = "normal", model: str = "least squares") -> dict[str, Any]:
    """Linear truth in the first of five columns."""
    X = rng.normal(size=(n, 5))
    e = rng.standard_t(5, size=n) if kind == "t5" else rng.normal(size=n)
    if kind == "gross":
        e[int(rng.integers(n))] += 6.0
    boosted = HistGradientBoostingRegressor(max_iter=30, random_state=0)
    est = {"least squares": LinearRegression(), "ridge": Ridge(), "boosting": boosted}[model]
    return {"est": est, "X": X, "y": X[:, 0] + e}


def labels(rng: Rng, n: int, turned: int = 0, d: int = 5, model: str = "logistic") -> dict[str, Any]:
    """Log-odds of standard deviation 2.8; the labels of the surest rows are turned."""
    X = rng.normal(size=(n, d))
    z = 2.0 * (X[:, 0] + X[:, 1])
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(-z))).astype(int)
    if model == "three classes":
        y = (np.column_stack([z, np.zeros(n), 2.0 * X[:, 2]]) + rng.gumbel(size=(n, 3))).argmax(axis=1)
    for i in np.argsort(-np.abs(z))[:turned]:
        y[i] = int(z[i] < 0.0)
    boosted = HistGradientBoostingClassifier(max_iter=30, random_state=0)
    est = (
        boosted
        if model == "boosting"
        else LogisticRegression(C=1e4 if model == "unpenalised logistic" else 1.0)
    )
    return {"est": est, "X": X, "y": y}


def names_a_row(ctx: Context, answer: Answer) -> bool:
    """Whether single rows are blamed (not heavy tails)."""
    return answer.outcome is Outcome.FIRES and bool(answer.where)


for model in ("least squares", "ridge", "boosting"):
    slow = model == "boosting"
    add(
        CODE,
        f"{model}, normal errors",
        numbers,
        {"model": model},
        truth=NULL,
        n=300 if slow else (30, 300, 3000),
        runs=60 if slow else 1500 if model == "least squares" else 400,
        rule=cook_rule,
    )
    add(
        CODE,
        f"{model}, one error of 6 sd",
        numbers,
        {"model": model, "kind": "gross"},
        truth=FAULT,
        n=300 if slow else (30, 300),
        runs=40 if slow else 100,
        rule=cook_rule,
        least=60 if slow else 85,
    )
add(
    CODE,
    "least squares, t5 errors: a row is blamed",
    numbers,
    {"kind": "t5"},
    truth=FAULT,
    n=(30, 300, 3000),
    runs=200,
    event=names_a_row,
    rule=cook_rule,
)
KINDS = (
    ("logistic", 5),
    ("unpenalised logistic", 5),
    ("unpenalised logistic", 20),
    ("three classes", 5),
    ("boosting", 5),
)
for model, d in KINDS:
    slow = model == "boosting"
    add(
        CODE,
        f"{model}, {d} columns, labels as drawn",
        labels,
        {"model": model, "d": d},
        truth=NULL,
        n=300 if slow else (100, 300, 1000),
        runs=30 if slow else 150,
    )
add(CODE, "logistic, the surest label turned", labels, {"turned": 1}, truth=FAULT, n=(300, 1000), runs=200)
