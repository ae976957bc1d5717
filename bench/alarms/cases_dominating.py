"""ER206: one column with a known share of what eight columns explain."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from bench.alarms.given import add
from bench.alarms.harness import BOUNDARY, FAULT, NULL, Rng
from bench.alarms.rules_data import on_par_rule

CODE, P = "ER206", 8


def draw(rng: Rng, n: int, share: float, model: str = "ridge") -> dict[str, Any]:
    """Signal and noise of equal variance; classes come from log-odds of twice the signal, or from cuts."""
    X = rng.normal(size=(n, P))
    rest = math.sqrt((1.0 - share) / (P - 1)) * X[:, 1:].sum(axis=1)
    signal = math.sqrt(share) * X[:, 0] + rest
    y = signal + rng.normal(size=n)
    if model == "levels":
        level = rng.integers(0, 4, n)
        frame = pd.DataFrame(X[:, 1:], columns=[f"x{j}" for j in range(1, P)])
        frame.insert(0, "site", np.array(list("abcd"), dtype=object)[level])
        y = math.sqrt(share) * (level - 1.5) / math.sqrt(1.25) + rest + rng.normal(size=n)
        marks = make_column_transformer((OneHotEncoder(), ["site"]), remainder="passthrough")
        return {"est": make_pipeline(marks, Ridge()), "X": frame, "y": y}
    if model == "logistic":
        return {"est": LogisticRegression(), "X": X, "y": rng.random(n) < 1.0 / (1.0 + np.exp(-3.0 * signal))}
    if model == "three classes":
        return {"est": LogisticRegression(), "X": X, "y": np.digitize(y - 0.5 * (y - signal), [-0.6, 0.6])}
    if model == "boosting":
        return {"est": HistGradientBoostingRegressor(max_iter=30, random_state=0), "X": X, "y": y}
    made = {"est": Ridge(), "X": X, "y": y}
    return made | ({"groups": np.arange(n) // 3} if model == "groups of three" else {})


def one(per_cent: int) -> str:
    """Return the setting in words, for the table."""
    return f"one column carries {per_cent} %"


for per_cent, truth in ((50, NULL), (90, NULL), (95, BOUNDARY), (99, FAULT)):
    add(
        CODE,
        f"ridge, {one(per_cent)}",
        draw,
        {"share": per_cent / 100},
        truth=truth,
        n=(300, 2000),
        runs=200,
        rule=on_par_rule,
        rule_runs=50,
        least=(30, 90) if truth == FAULT else 0,
    )
# With 60 rows the other columns cost the model about as much as they bring: 80 % of the population is a null.
add(
    CODE,
    f"ridge, {one(80)}",
    draw,
    {"share": 0.8},
    truth=NULL,
    n=60,
    runs=200,
    rule=on_par_rule,
    rule_runs=50,
)
for kind in ("levels", "logistic", "three classes", "boosting", "groups of three"):
    for per_cent in (80, 100):
        add(
            CODE,
            f"{kind}, {one(per_cent)}",
            draw,
            {"share": per_cent / 100, "model": kind},
            truth=NULL if per_cent < 100 else FAULT,
            n=600,
            runs=30 if kind == "boosting" else 80,
            least=50 if per_cent == 100 else 0,
        )
