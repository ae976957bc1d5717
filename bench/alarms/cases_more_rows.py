"""ER203: whether the bracket of the next doubling holds, and when it fires."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

from bench.alarms import data
from bench.alarms.harness import FAULT, INTERVAL, Draw, Event, Rng, scenario
from empirisk.diagnosis import Answer, Context, context
from empirisk.diagnosis.more_rows import last_doubling

CODE = "ER203"


def ridge(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n, 20)
    return {"est": Ridge(1.0), "X": X, "y": y}


def logistic(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.logistic(rng, n, 10)
    return {"est": LogisticRegression(), "X": X, "y": y}


def tree(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.friedman(rng, n)
    return {"est": DecisionTreeRegressor(min_samples_leaf=5, random_state=0), "X": X, "y": y}


def neighbours(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.logistic(rng, n)
    return {"est": KNeighborsClassifier(15), "X": X, "y": y}


def groups(rng: Rng, n: int) -> dict[str, Any]:
    X, y, g = data.grouped(rng, n, max(30, n // 5))
    return {"est": Ridge(1.0), "X": X, "y": y, "groups": g}


@cache
def true_gain(draw: Draw, n: int) -> float:
    """Mean gain from n to 2n rows: the last doubling of 2n rows, in units of the baseline's risk."""
    rng = np.random.default_rng(n)
    gains = []
    for _ in range(60):
        ctx = context(random_state=rng, **draw(rng, 2 * n))
        gains.append(last_doubling(ctx).d.gain / ctx.baseline_risk)
    return float(np.mean(gains))


def misses(draw: Draw) -> Event:
    """Whether the 95 % bracket misses the true gain of the next doubling."""

    def event(ctx: Context, answer: Answer) -> bool:
        if answer.gain is None or answer.gain.low is None or answer.gain.high is None:
            return False
        return not answer.gain.low <= true_gain(draw, ctx.n) <= answer.gain.high

    return event


for _draw, _what, _sizes, _runs in (
    (ridge, "ridge(1), 20 columns", (100, 400), 150),
    (logistic, "logistic C = 1, 10 columns", (100, 400), 100),
    (tree, "tree with leaves of 5, Friedman", (100, 400), 150),
    (neighbours, "15-NN, two classes", (100, 400), 100),
    (groups, "ridge(1), groups of 5", (300,), 150),
):
    scenario(CODE, _what, truth=INTERVAL, n=_sizes, runs=_runs, event=misses(_draw))(_draw)


@scenario(CODE, "ridge(1), 20 columns: twice the rows gain 2 %", n=400, runs=200)
def ridge_enough(rng: Rng, n: int) -> dict[str, Any]:
    return ridge(rng, n)


@scenario(CODE, "ridge(1), 20 columns: twice the rows gain 10 %", truth=FAULT, n=100, runs=200, least=80)
def ridge_few(rng: Rng, n: int) -> dict[str, Any]:
    return ridge(rng, n)


@scenario(CODE, "1-NN, tight clusters of one class each: no loss is left", n=250, runs=40)
def clusters(rng: Rng, n: int) -> dict[str, Any]:
    k = np.repeat(np.arange(n // 5), 5)
    X = rng.normal(size=(n // 5, 6))[k] + 0.1 * rng.normal(size=(n, 6))
    return {"est": KNeighborsClassifier(1), "X": X, "y": rng.integers(0, 2, n // 5)[k]}
