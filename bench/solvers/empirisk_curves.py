"""Our leave-one-out and learning curves, as the bench calls them."""

from __future__ import annotations

from typing import Any

from sklearn.kernel_ridge import KernelRidge
from sklearn.neighbors import KNeighborsRegressor

import empirisk as er
from bench.objectives.held_out import GAMMA, NEIGHBOURS, equal_folds
from bench.solvers.base import Solver

LIBRARY = "empirisk"
SIZES = (0.0625, 0.125, 0.25, 0.5, 1.0)


def _one_out(model: Any, X: Any, y: Any) -> float:
    return er.selection.leave_one_out(model, X, y, metrics="mse")["mse"].value


def _curve(X: Any, y: Any, strength: float) -> float:
    # The same total strength at every size, as scikit-learn's Ridge has it: alpha = "1/n" on our scale.
    n = len(y) - len(y) % 5
    curve = er.selection.learning_curve(
        er.Ridge(alpha="1/n"), X[:n], y[:n], list(SIZES), cv=equal_folds(n), random_state=0
    )
    return curve.validation[-1].value


SOLVERS = {
    "one_out_ridge": [
        Solver(LIBRARY, "", lambda X, y, s: _one_out(er.Ridge(alpha=s / (len(y) - 1)), X, y)),
    ],
    "one_out_kernel_ridge": [
        Solver(LIBRARY, "", lambda X, y, s: _one_out(KernelRidge(alpha=s, kernel="rbf", gamma=GAMMA), X, y)),
    ],
    "one_out_neighbors": [
        Solver(LIBRARY, "", lambda X, y, s: _one_out(KNeighborsRegressor(NEIGHBOURS), X, y)),
    ],
    "learning_curve": [Solver(LIBRARY, "both halves: 9 fits a fold", _curve)],
}
