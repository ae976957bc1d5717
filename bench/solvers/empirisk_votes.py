"""Ours: boosted votes, through the public names; the discrete variant, which is the one that the peer has."""

from __future__ import annotations

from typing import Any

import empirisk as er
from bench.solvers.base import Solver


def _boost(X: Any, y: Any, rounds: int) -> Any:
    return er.AdaBoostClassifier(rounds).fit(X, y)


SOLVERS = {"adaboost": [Solver("empirisk", "", _boost)]}
