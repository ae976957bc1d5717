"""ER208: errors that are exchangeable over the rows, drift, follow each other, or grow."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge

from bench.alarms.given import add
from bench.alarms.harness import FAULT, NULL, Rng
from bench.alarms.rules_data import durbin_watson_rule

CODE = "ER208"


def draw(rng: Rng, n: int, kind: str = "exchangeable", model: str = "ridge") -> dict[str, Any]:
    """Linear truth in the first of five columns, noise of standard deviation 1."""
    X = rng.normal(size=(n, 5))
    t = np.arange(n) / n - 0.5
    e = rng.normal(size=n)
    if kind == "drift":
        e = e + t
    if kind == "neighbours":
        for i in range(1, n):
            e[i] += 0.3 * e[i - 1]
    if kind == "growing":
        e = e * (2.0 + 2.0 * t)
    y = X[:, 0] + e
    if model == "logistic":
        odds = X[:, 0] + (3.0 * t if kind == "drift" else 0.0)
        return {"est": LogisticRegression(), "X": X, "y": rng.random(n) < 1.0 / (1.0 + np.exp(-odds))}
    if model == "three classes":
        return {"est": LogisticRegression(), "X": X, "y": np.digitize(y, [-0.7, 0.7])}
    if model == "boosting":
        return {"est": HistGradientBoostingRegressor(max_iter=30, random_state=0), "X": X, "y": y}
    made: dict[str, Any] = {"est": Ridge(), "X": X, "y": y}
    if model == "groups of five":
        code = np.arange(n) // 5
        made |= {"groups": code, "y": y + rng.normal(size=int(code.max()) + 1)[code]}
    if model == "ten days":
        made["time"] = np.datetime64("2024-01-01") + np.sort(rng.integers(0, 10, n))
    return made


for model in ("ridge", "logistic", "three classes", "boosting", "groups of five", "ten days"):
    add(
        CODE,
        f"{model}, exchangeable",
        draw,
        {"model": model},
        truth=NULL,
        n=(60, 300, 1000) if model in ("ridge", "logistic") else 300,
        runs=60 if model == "boosting" else 300,
        rule=durbin_watson_rule,
    )
for kind in ("drift", "neighbours", "growing"):
    add(
        CODE,
        f"ridge, {kind}",
        draw,
        {"kind": kind},
        truth=FAULT,
        n=(60, 300),
        runs=80,
        rule=durbin_watson_rule,
        least=(20, 80),
    )
for model in ("logistic", "groups of five", "ten days"):
    add(
        CODE,
        f"{model}, drift",
        draw,
        {"kind": "drift", "model": model},
        truth=FAULT,
        n=300,
        runs=80,
        rule=durbin_watson_rule,
        least=20 if model == "groups of five" else 80,
    )
