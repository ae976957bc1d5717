"""All findings together, with Holm's correction: any alarm on clean data, and planted faults."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge

from bench.alarms import data
from bench.alarms.harness import FAMILY, FAULT, Rng, scenario
from bench.alarms.rules import gap_rule, near_dummy_rule, outlying_fold_rule
from empirisk.diagnosis import Context


def any_rule(ctx: Context) -> bool:
    """Return whether any of the rules SKD001, SKD002 and SKD003 fires."""
    return gap_rule(ctx) or near_dummy_rule(ctx) or outlying_fold_rule(ctx)


@scenario(FAMILY, "ridge, nothing wrong", n=(100, 400), runs=150, rule=any_rule, rule_runs=40)
def clean(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n)
    return {"est": Ridge(1.0), "X": X, "y": y, "X_test": rng.normal(size=(n // 2, 5))}


@scenario(FAMILY, "logistic, nothing wrong", n=400, runs=60, rule=any_rule, rule_runs=20)
def clean_classes(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.logistic(rng, n)
    return {"est": LogisticRegression(), "X": X, "y": y, "X_test": rng.normal(size=(n // 2, 5))}


@scenario(FAMILY, "least squares, a square of size 0.6", truth=FAULT, n=(400, 1500), runs=30,
          rule=any_rule, rule_runs=20, least=(25, 90))  # fmt: skip
def curved(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.curved(rng, n, 0.6)
    return {"est": LinearRegression(), "X": X, "y": y, "X_test": rng.normal(size=(n // 2, 5))}


@scenario(FAMILY, "ridge, drift over the rows of one sd", truth=FAULT, n=(100, 400), runs=30,
          rule=any_rule, rule_runs=20, least=(75, 90))  # fmt: skip
def drifting(rng: Rng, n: int) -> dict[str, Any]:
    made = clean(rng, n)
    made["y"] += np.linspace(-0.9, 0.9, n)
    return made


@scenario(FAMILY, "ridge, test rows shifted by half a sd", truth=FAULT, n=400, runs=30,
          rule=any_rule, rule_runs=20)  # fmt: skip
def shifted(rng: Rng, n: int) -> dict[str, Any]:
    made = clean(rng, n)
    made["X_test"][:, 0] += 0.5
    return made
