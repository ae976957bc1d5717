"""ER210: probabilities that are right, too extreme, or of an overfitted model."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from bench.alarms import data
from bench.alarms.given import Given, add
from bench.alarms.harness import FAULT, NULL, Rng
from bench.alarms.rules_data import ece_rule

CODE = "ER210"


def given(rng: Rng, n: int, factor: float, classes: int = 2) -> dict[str, Any]:
    """Probabilities whose log-odds are `factor` times the true ones."""
    z = 1.2 * rng.normal(size=(n, classes))
    z -= z.mean(axis=1, keepdims=True)
    true = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    y = np.minimum((rng.random((n, 1)) > np.cumsum(true, axis=1)).sum(axis=1), classes - 1)
    told = np.exp(factor * z)
    return {"est": Given(), "X": told / told.sum(axis=1, keepdims=True), "y": y}


def fitted(rng: Rng, n: int, model: str, d: int = 5) -> dict[str, Any]:
    """A fitted model on a linear truth."""
    if model == "least squares":
        X, y = data.linear(rng, n, d)
        return {"est": LinearRegression(), "X": X, "y": y}
    X, y = data.logistic(rng, n, d)
    est = {
        "logistic": LogisticRegression(C=1e4),
        "boosting": HistGradientBoostingClassifier(random_state=0),
        "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
    }[model]
    return {"est": est, "X": X, "y": y}


for classes in (2, 3):
    for factor, truth in ((1.0, NULL), (1.3, NULL), (2.5, FAULT)):
        told = "exact" if factor == 1.0 else f"log-odds x {factor}"
        add(
            CODE,
            f"{classes} classes, given probabilities, {told}",
            given,
            {"factor": factor, "classes": classes},
            truth=truth,
            n=(100, 500),
            runs=150,
            rule=ece_rule,
            least=(10, 90) if truth == FAULT else 0,
        )
for model in ("logistic", "least squares"):
    for d, rows in ((5, (100, 500)), (25, (100,))):
        add(
            CODE,
            f"{model}, {d} columns",
            fitted,
            {"model": model, "d": d},
            truth=NULL if d == 5 else FAULT,
            n=rows,
            runs=150,
            rule=ece_rule,
            least=55 if d == 25 and model == "logistic" else 0,
        )
for model, runs, least in (("tree", 60, 95), ("boosting", 20, 50)):
    add(
        CODE,
        f"{model} of 5 columns",
        fitted,
        {"model": model},
        truth=FAULT,
        n=500,
        runs=runs,
        rule=ece_rule,
        least=least,
    )
