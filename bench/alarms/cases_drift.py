"""ER209: half of the rows for training, half for the test, which moved or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from bench.alarms.given import add
from bench.alarms.harness import FAULT, NULL, Rng
from bench.alarms.rules_data import domain_rule

CODE = "ER209"


class Zero(LinearRegression):
    """Fits nothing: the finding looks at the rows alone."""

    def fit(self, X: Any, y: Any) -> Zero:
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))


def draw(rng: Rng, n: int, kind: str, d: int = 3) -> dict[str, Any]:
    """Normal columns, the first two with correlation 0.6; levels, gaps and groups on demand."""
    m = n // 2
    test = np.arange(n) >= m
    X = rng.normal(size=(n, d))
    X[:, 1] = 0.6 * X[:, 0] + 0.8 * X[:, 1]
    if kind == "mean":
        X[test, 0] += 0.5
    elif kind == "spread":
        X[test, 0] *= 1.5
    elif kind == "pair":
        X[test, 1] = -X[test, 1]
    elif kind == "groups":  # rows of a group share half of their variance, in the training rows alone
        code = np.arange(m) // 5
        X[:m] = np.sqrt(0.5) * (X[:m] + rng.normal(size=(int(code.max()) + 1, d))[code])
        return {
            "est": Zero(),
            "X": X[:m],
            "X_test": np.sqrt(0.5) * (X[m:] + rng.normal(size=(n - m, d))),
            "y": rng.normal(size=m),
            "groups": code,
        }
    elif kind in ("none, with levels and gaps", "level shares", "gaps"):
        frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(d)])
        chance = [0.4, 0.2, 0.2, 0.2] if kind == "level shares" else [0.25] * 4
        level = np.where(test, rng.choice(4, n, p=chance), rng.integers(0, 4, n))
        frame["site"] = np.array(list("abcd"), dtype=object)[level]
        gone = rng.random(n) < np.where(test & (kind == "gaps"), 0.35, 0.2)
        frame.loc[gone, "x0"] = np.nan
        return {"est": Zero(), "X": frame.iloc[:m], "X_test": frame.iloc[m:], "y": rng.normal(size=m)}
    return {"est": Zero(), "X": X[:m], "X_test": X[m:], "y": rng.normal(size=m)}


MOVES = {
    "none": "the same law",
    "mean": "mean 0.5 sd up in one",
    "spread": "spread 1.5 times in one",
    "pair": "one correlation turned",
}
for d in (3, 20):
    for kind, told in MOVES.items():
        add(
            CODE,
            f"{d} columns, {told}",
            draw,
            {"kind": kind, "d": d},
            truth=NULL if kind == "none" else FAULT,
            n=(100, 500),
            runs=300 if kind == "none" else 60,
            rule=domain_rule,
            rule_runs=30,
            least=(0, 0) if kind == "none" else (5, 90),
        )
for kind in ("none, with levels and gaps", "groups", "level shares", "gaps"):
    null = kind.startswith(("none", "groups"))
    add(
        CODE,
        f"3 columns, {kind}",
        draw,
        {"kind": kind},
        truth=NULL if null else FAULT,
        n=500,
        runs=300 if null else 60,
        rule=domain_rule,
        rule_runs=30,
        least=0 if null else 60,
    )
