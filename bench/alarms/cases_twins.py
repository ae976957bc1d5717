"""ER207: a share of the rows stands twice."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from bench.alarms.given import add
from bench.alarms.harness import FAULT, NULL, Rng
from bench.alarms.rules_data import twin_rule
from empirisk.diagnosis import Answer, Context, Outcome
from empirisk.diagnosis.family import correct

CODE = "ER207"
MODELS = {
    "1-NN": KNeighborsClassifier(1),
    "15-NN": KNeighborsClassifier(15),
    "logistic": LogisticRegression(),
    "boosting": HistGradientBoostingClassifier(max_iter=30, random_state=0),
}


def draw(rng: Rng, n: int, share: float, model: str, grid: bool = False) -> dict[str, Any]:
    """Copies of the first rows replace the last ones; with a grid, twins arise by chance."""
    X = rng.normal(size=(n, 5))
    if grid:
        X = np.round(X[:, :2])
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(-2.0 * X[:, 0]))).astype(int)
    k = int(share * n)
    if k:
        X[-k:], y[-k:] = X[:k], y[:k]
    return {"est": MODELS[model], "X": X, "y": y}


for model in MODELS:
    for per_cent in (10, 30):
        fault = model == "1-NN" or (model == "boosting" or (model == "15-NN" and per_cent == 30))
        add(
            CODE,
            f"{model}, {per_cent} % of the rows are copies",
            draw,
            {"share": per_cent / 100, "model": model},
            truth=FAULT if fault else NULL,
            n=(200, 1000) if model == "1-NN" else 500,
            runs=30 if model == "boosting" else 100,
            rule=twin_rule,
            least=(50, 95) if model == "1-NN" else 0,
        )
add(
    CODE,
    "logistic, twins by chance on a grid",
    draw,
    {"share": 0.0, "model": "logistic", "grid": True},
    truth=NULL,
    n=500,
    runs=100,
    rule=twin_rule,
)


def only_suspected(ctx: Context, answer: Answer) -> bool:
    """Whether the fact that rows are equal is called a suspicion, among nine other findings."""
    others = [Answer(f"other {i}", Outcome.CLEAR, "", 0.5) for i in range(9)]
    return correct([answer, *others], ctx.level)[0][0].outcome is Outcome.CANNOT_TELL


for model in ("15-NN", "1-NN"):
    add(
        CODE,
        f"{model}, 10 % of the rows are copies: told as a suspicion",
        draw,
        {"share": 0.1, "model": model},
        truth=NULL,
        n=200,
        runs=100,
        event=only_suspected,
    )
