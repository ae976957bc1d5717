"""Ours: boosted votes, through the public names."""

from __future__ import annotations

from typing import Any

import empirisk as er
from bench.solvers.base import Solver


def _boost(X: Any, y: Any, rounds: int, variant: str) -> Any:
    return er.AdaBoostClassifier(rounds, variant=variant).fit(X, y)


SOLVERS = {
    "adaboost": [
        Solver("empirisk", "discrete", lambda X, y, rounds: _boost(X, y, rounds, "discrete")),
        Solver("empirisk", "real", lambda X, y, rounds: _boost(X, y, rounds, "real")),
    ]
}
