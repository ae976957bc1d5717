"""ER219: targets that are exact formulas of rounded cells, and targets that are nearly so or only fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression

from bench.alarms.given import add
from bench.alarms.harness import FAULT, NULL, Rng

CODE = "ER219"


def rounded(rng: Rng, n: int, p: int, kind: str) -> dict[str, Any]:
    """Gamma columns of two decimals; the target is made before the rounding, and rounded itself."""
    raw = rng.gamma(2.0, 3.0, size=(n, p)) + 0.1
    y = {
        "sum": lambda: raw[:, 0] + raw[:, 1] + raw[:, 2],
        "difference": lambda: raw[:, 0] - raw[:, 1],
        "ratio": lambda: raw[:, 0] / raw[:, 1],
        "product": lambda: 1.2 * raw[:, 0] * raw[:, 1],
        "copy": lambda: raw[:, 0],
    }[kind]()
    return {"est": LinearRegression(), "X": raw.round(2), "y": y.round(2)}


def noisy(rng: Rng, n: int, p: int, noise: float) -> dict[str, Any]:
    """The sum of three columns with noise of so many units of the last decimal (one: a fifth of a spread)."""
    X = rng.gamma(2.0, 3.0, size=(n, p)).round(2)
    y = X[:, :3].sum(axis=1) + 0.01 * noise * rng.normal(size=n)
    return {"est": LinearRegression(), "X": X, "y": y.round(2)}


def unrelated(rng: Rng, n: int, p: int, kind: str) -> dict[str, Any]:
    """A target that has nothing to do with the columns: in full digits, or whole numbers up to 4."""
    X = rng.normal(size=(n, p)) if kind == "normal" else rng.integers(0, 5, size=(n, p)).astype(float)
    y = rng.normal(size=n) if kind == "normal" else rng.integers(0, 5, size=n).astype(float)
    return {"est": LinearRegression(), "X": X, "y": y}


def cut(rng: Rng, n: int, gap: float) -> dict[str, Any]:
    """Two classes cut out of the first of five columns; a gap parts the halves first (two kinds)."""
    X = rng.normal(size=(n, 5))
    X[:, 0] += np.where(X[:, 0] > 0.2, gap, 0.0)
    return {"est": LogisticRegression(), "X": X, "y": (X[:, 0] > 0.2 + gap / 2).astype(int)}


def clouds(rng: Rng, n: int, apart: float) -> dict[str, Any]:
    """Two normal classes whose means lie so many standard deviations apart in the first column."""
    y = (rng.random(n) < 0.5).astype(int)
    X = rng.normal(size=(n, 5))
    X[:, 0] += apart * y
    return {"est": LogisticRegression(), "X": X, "y": y}


for kind in ("sum", "difference", "ratio", "product", "copy"):
    options = {"p": 6, "kind": kind}
    add(CODE, f"{kind} of rounded cells", rounded, options, truth=FAULT, n=(60, 400), runs=100, least=95)
add(
    CODE,
    "sum of 3 of 100 columns",
    rounded,
    {"p": 100, "kind": "sum"},
    truth=FAULT,
    n=(80, 400),
    runs=60,
    least=90,
)
add(CODE, "cut of a column", cut, {"gap": 0.0}, truth=FAULT, n=(100, 1000), runs=100, least=80)
for noise in (5, 50):
    add(
        CODE,
        f"sum with noise of {noise} units",
        noisy,
        {"p": 6, "noise": noise},
        truth=NULL,
        n=(60, 400),
        runs=200,
    )
for kind in ("normal", "whole numbers"):
    add(
        CODE,
        f"{kind}, unrelated, 59 columns",
        unrelated,
        {"p": 59, "kind": kind},
        truth=NULL,
        n=(50, 60, 70),
        runs=100,
    )
    add(
        CODE,
        f"{kind}, unrelated, 5 columns",
        unrelated,
        {"p": 5, "kind": kind},
        truth=NULL,
        n=(10, 30, 200),
        runs=200,
    )
add(CODE, "two kinds, a gap of 3", cut, {"gap": 3.0}, truth=NULL, n=(100, 1000), runs=200)
add(CODE, "normal classes, 8 apart", clouds, {"apart": 8.0}, truth=NULL, n=(100, 1000), runs=200)
