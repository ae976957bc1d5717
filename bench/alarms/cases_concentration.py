"""ER220: rows that have near ones, rows that have none, and clusters that small differences tell apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from bench.alarms.given import add
from bench.alarms.harness import BOUNDARY, FAULT, Rng
from empirisk.diagnosis import Context

CODE = "ER220"


def columns_rule(ctx: Context) -> bool:
    """Rule of thumb: more than 20 columns are too many for neighbours."""
    return len(ctx.columns) > 20


def numbers(rng: Rng, n: int, p: int, kind: str = "normal") -> dict[str, Any]:
    """Return independent columns and a target that is their sum with as much noise."""
    X = {
        "normal": lambda: rng.normal(size=(n, p)),
        "uniform": lambda: rng.random((n, p)),
        "marks": lambda: (rng.random((n, p)) < 0.3).astype(float),
        "skewed": lambda: rng.lognormal(size=(n, p)),
    }[kind]()
    z = (X - X.mean(axis=0)).sum(axis=1) / np.sqrt(p)
    return {"est": KNeighborsRegressor(15), "X": X, "y": z / z.std() + rng.normal(size=n)}


def factors(rng: Rng, n: int, p: int) -> dict[str, Any]:
    """Many columns that three factors move: rows lie near a space of three dimensions."""
    F = rng.normal(size=(n, 3))
    X = F @ rng.normal(size=(3, p)) + 0.5 * rng.normal(size=(n, p))
    return {"est": er.KNeighborsRegressor(5), "X": X, "y": F[:, 0] + rng.normal(size=n)}


def clusters(rng: Rng, n: int, p: int, apart: float) -> dict[str, Any]:
    """Two classes whose centres are so far apart, in a space in which all distances are alike."""
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, 0] += apart * y
    return {"est": KNeighborsClassifier(15), "X": X, "y": y}


def one_far(rng: Rng, n: int, p: int) -> dict[str, Any]:
    """One row a hundred times as far away as the others."""
    made = numbers(rng, n, p)
    made["X"][0] *= 100.0
    return made


def scaled(rng: Rng, n: int, p: int) -> dict[str, Any]:
    """One column on a scale of thousands hides the others until they are brought to one scale."""
    made = numbers(rng, n, p)
    made["X"][:, 0] *= 5000.0
    return made | {"est": make_pipeline(StandardScaler(), er.KNeighborsRegressor(15))}


for p, kind in ((5, "normal"), (50, "normal"), (50, "marks"), (200, "skewed")):
    add(CODE, f"{p} columns, {kind}", numbers, {"p": p, "kind": kind}, n=(120, 600), rule=columns_rule)
add(CODE, "300 columns of three factors", factors, {"p": 300}, n=300, rule=columns_rule)
add(CODE, "two classes 12 apart, 1,000 columns", clusters, {"p": 1000, "apart": 12.0}, n=300,
    rule=columns_rule)  # fmt: skip
for n, p in ((300, 381), (600, 424)):
    add(CODE, f"{p} columns, normal (ratio near 1.15)", numbers, {"p": p}, truth=BOUNDARY, n=n)
for name, draw, settings, rows, least in (
    ("2,000 columns, normal", numbers, {"p": 2000}, (120, 600), 95),
    ("2,000 columns, uniform", numbers, {"p": 2000, "kind": "uniform"}, (120, 600), 95),
    ("2,000 columns, marks", numbers, {"p": 2000, "kind": "marks"}, 300, 95),
    ("2,000 columns, normal, one row far away", one_far, {"p": 2000}, 300, 95),
    ("2,000 columns on one scale, one in thousands", scaled, {"p": 2000}, 300, 95),
):
    add(CODE, name, draw, settings, truth=FAULT, n=rows, runs=60, least=least, rule=columns_rule)
