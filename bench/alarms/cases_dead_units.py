"""ER221: networks whose units are at work, and networks that long steps have killed."""

from __future__ import annotations

from typing import Any

from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from bench.alarms.given import add
from bench.alarms.harness import FAULT, Rng

CODE = "ER221"


def products(rng: Rng, n: int, est: Any, p: int = 5) -> dict[str, Any]:
    """A target that is the product of two of the columns, with as much noise."""
    X = rng.normal(size=(n, p))
    return {"est": est, "X": X, "y": X[:, 0] * X[:, 1] + rng.normal(size=n), "cv": 2}


def pushed(rng: Rng, n: int, est: Any) -> dict[str, Any]:
    """The same with columns far from 0, which a network reads as they are."""
    made = products(rng, n, est)
    return made | {"X": made["X"] + 30.0}


def peer(**more: Any) -> Any:
    """Return scikit-learn's network on standardised columns."""
    return make_pipeline(StandardScaler(), MLPRegressor(**more))


short = {"n_epochs": 40}
for name, est in (
    ("20 units, the usual step", er.MLPRegressor(20, **short)),
    ("2 layers of 20 units, the usual step", er.MLPRegressor((20, 20), **short)),
    ("20 units, plain steps of 0.1", er.MLPRegressor(20, optimizer="gradient_step", step=0.1, **short)),
    ("scikit-learn's network, 20 units", peer(hidden_layer_sizes=20, max_iter=40)),
):
    add(CODE, name, products, {"est": est}, n=(60, 300), runs=200)
for name, draw, est in (
    ("2 layers of 20 units, steps of 1", products, er.MLPRegressor((20, 20), step=1.0, **short)),
    ("scikit-learn's network, 2 layers, steps of 1", products,
     peer(hidden_layer_sizes=(20, 20), learning_rate_init=1.0, max_iter=40)),
    ("columns around 30 as they are, steps of 0.3", pushed,
     er.MLPRegressor(20, standardise=False, step=0.3, **short)),
):  # fmt: skip
    add(CODE, name, draw, {"est": est}, truth=FAULT, n=(60, 300), runs=60, least=90)
