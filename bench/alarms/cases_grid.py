"""ER215: grids that end before the optimum, where that matters and where it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor

from bench.alarms import data
from bench.alarms.harness import FAULT, Rng, scenario
from empirisk.diagnosis import Context
from empirisk.diagnosis.answer import NotRun
from empirisk.diagnosis.grid_edge import edges

CODE = "ER215"


def edge_rule(ctx: Context) -> bool:
    """SKD014: the winner stands at the edge of the grid."""
    try:
        return bool(edges(ctx))
    except NotRun:
        return False


@scenario(CODE, "penalties up to 1 for 20 columns, nothing to gain", n=(200, 1000), rule=edge_rule)
def flat(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n, 20)
    return {"est": RidgeCV(np.logspace(-2, 0, 5)), "X": X, "y": y}


@scenario(CODE, "optimum inside", n=(60, 200), rule=edge_rule)
def inside(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n, 20)
    return {"est": RidgeCV(np.logspace(-2, 4, 7)), "X": X, "y": y}


@scenario(
    CODE,
    "penalties up to 1, weak signal, 40 columns",
    truth=FAULT,
    n=(100, 200),
    rule=edge_rule,
    least=(75, 0),
)
def still_improving(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n, 40, snr=0.3)
    return {"est": RidgeCV(np.array([0.01, 0.1, 1.0])), "X": X, "y": y}


@scenario(CODE, "k-NN searched over 1, 2, 4", truth=FAULT, n=200, runs=60, rule=edge_rule, rule_runs=60)
def neighbours(rng: Rng, n: int) -> dict[str, Any]:
    X, y = data.linear(rng, n)
    return {"est": GridSearchCV(KNeighborsRegressor(), {"n_neighbors": [1, 2, 4]}, cv=3), "X": X, "y": y}
