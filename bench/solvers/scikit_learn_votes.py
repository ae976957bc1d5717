"""scikit-learn: boosted votes.  A hundred rounds on 1e5 rows take about a minute, so a tenth is measured
too."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import AdaBoostClassifier

from bench.solvers.base import Solver


def _boost(X: Any, y: Any, rounds: int) -> Any:
    return AdaBoostClassifier(n_estimators=rounds, random_state=0).fit(X, y)


SOLVERS = {
    "adaboost": [
        Solver("scikit-learn", "AdaBoostClassifier", _boost),
        Solver(
            "scikit-learn",
            "AdaBoostClassifier, a tenth of the rounds",
            lambda X, y, rounds: _boost(X, y, rounds // 10),
        ),
    ],
}
