"""ER212: the first column has a known R2 on the others.  ER213: labels that mean nothing."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression

from bench.alarms.given import add
from bench.alarms.harness import BOUNDARY, FAULT, INTERVAL, NULL, Rng, scenario
from bench.alarms.rules_data import vif_rule
from empirisk.diagnosis import Answer, Context, Outcome


def draw(rng: Rng, n: int, p: int, r2: float, kind: str = "normal") -> dict[str, Any]:
    """The others are normal, marks of a level of 30 %, or exponential; their sum gives the first column."""
    X = rng.normal(size=(n, p))
    if kind == "marks":
        X[:, 1:] = (rng.random((n, p - 1)) < 0.3) / math.sqrt(0.21)
    if kind == "skewed":
        X[:, 1:] = rng.exponential(size=(n, p - 1))
    X[:, 0] = math.sqrt(r2 / (p - 1)) * X[:, 1:].sum(axis=1) + math.sqrt(1.0 - r2) * rng.normal(size=n)
    return {"est": LinearRegression(), "X": X, "y": X[:, 1] + rng.normal(size=n)}


for p, rows in ((10, (15, 40, 200)), (30, (60,))):
    for r2, truth in ((0.8, NULL), (0.9, BOUNDARY), (0.97, FAULT)):
        add(
            "ER212",
            f"{p} columns, R2 = {r2}",
            draw,
            {"p": p, "r2": r2},
            truth=truth,
            n=rows,
            runs=300 if truth == BOUNDARY else 80,
            rule=vif_rule,
            least=((0, 70, 95) if p == 10 else (60,)) if truth == FAULT else 0,
        )
for kind in ("marks", "skewed"):
    add(
        "ER212",
        f"10 columns, {kind}, R2 = 0.9",
        draw,
        {"p": 10, "r2": 0.9, "kind": kind},
        truth=BOUNDARY,
        n=(40, 200),
        runs=300,
        rule=vif_rule,
    )


def noise(rng: Rng, n: int, p: int) -> dict[str, Any]:
    """Return labels that are fair coins, whatever the columns say."""
    y = np.concatenate(
        [[0, 1] * 2, rng.integers(0, 2, n - 4)]
    )  # two of each at least, so that folds can be made
    return {"est": LogisticRegression(), "X": rng.normal(size=(n, p)), "y": y, "cv": 2}


def separable(ctx: Context, answer: Answer) -> bool:
    """Whether a plane separates all rows."""
    return answer.outcome is Outcome.FACT and "perfectly" in answer.sentence


# Any labels can be separated with Cover's chance: one that falls short of it would be a programme that fails.
for p, n, chance in ((5, 15, 21), (20, 40, 63), (20, 60, 1)):
    add(
        "ER213",
        f"{p} columns, labels of a coin: {chance} % separable by Cover's formula",
        noise,
        {"p": p},
        truth=FAULT if chance > 5 else NULL,
        n=n,
        runs=300,
        event=separable,
        least=chance if chance > 5 else 0,
    )


def flagged(rng: Rng, n: int) -> dict[str, Any]:
    """A 0/1 column with five ones, all of one class; the other labels are coins."""
    flag = np.arange(n) < 5
    y = flag | (rng.random(n) < 0.5)
    return {"est": LogisticRegression(C=1e6), "X": np.column_stack([rng.normal(size=n), flag]), "y": y}


def chance_misses(ctx: Context, answer: Answer) -> bool:
    """Whether the interval of the chance excludes that of the flag (the other column adds next to none)."""
    a, n = int(ctx.y.sum()), ctx.n
    chance = (math.comb(a, 5) + math.comb(n - a, 5)) / math.comb(n, 5)
    low, high = (float(v) for v in re.findall(r"that chance ([0-9.e-]+) to ([0-9.e-]+)", answer.evidence)[0])
    return not low <= chance <= high


scenario("ER213", "a rare flag, labels of a coin: chance of separation", truth=INTERVAL, n=60, runs=120,
         event=chance_misses)(flagged)  # fmt: skip
