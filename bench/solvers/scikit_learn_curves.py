"""scikit-learn: leave-one-out by n fits (and RidgeCV's shortcut), and its learning_curve."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import LeaveOneOut, cross_val_predict, learning_curve
from sklearn.neighbors import KNeighborsRegressor

from bench.objectives.held_out import GAMMA, NEIGHBOURS, equal_folds
from bench.solvers.base import Solver
from bench.solvers.empirisk_curves import SIZES

LIBRARY = "scikit-learn"


def _one_out(model: Any, X: Any, y: Any) -> float:
    return float(np.mean((y - cross_val_predict(model, X, y, cv=LeaveOneOut())) ** 2))


def _ridge_cv(X: Any, y: Any, strength: float) -> float:
    return -float(RidgeCV(alphas=[strength]).fit(X, y).best_score_)


def _curve(X: Any, y: Any, strength: float) -> float:
    folds = equal_folds(len(y))
    _, _, scores = learning_curve(
        Ridge(alpha=strength), X, y, train_sizes=SIZES, cv=folds, shuffle=True, random_state=0,
        scoring="neg_mean_squared_error",
    )  # fmt: skip
    return -float(scores[-1].mean())


SOLVERS = {
    "one_out_ridge": [
        Solver(LIBRARY, "RidgeCV", _ridge_cv),
        Solver(LIBRARY, "cross_val_predict", lambda X, y, s: _one_out(Ridge(alpha=s), X, y)),
    ],
    "one_out_kernel_ridge": [
        Solver(
            LIBRARY,
            "cross_val_predict",
            lambda X, y, s: _one_out(KernelRidge(alpha=s, kernel="rbf", gamma=GAMMA), X, y),
        ),
    ],
    "one_out_neighbors": [
        Solver(LIBRARY, "cross_val_predict", lambda X, y, s: _one_out(KNeighborsRegressor(NEIGHBOURS), X, y)),
    ],
    "learning_curve": [Solver(LIBRARY, "learning_curve: 5 fits a fold", _curve)],
}
