"""Ours and the peers at equal settings: 100 rounds of 31 leaves, rate 0.1, 20 rows a leaf, 255 bins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import lightgbm
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

import empirisk as er

ROUNDS, LEAVES, RATE, ROWS = 100, 31, 0.1, 20

LIGHTGBM = {"half_squared": "regression", "absolute": "regression_l1", "poisson": "poisson"}
SCIKIT_LEARN = {"half_squared": "squared_error", "absolute": "absolute_error", "poisson": "poisson"}


def ours(loss: str) -> Any:
    """Return our boosting without early stopping, with the settings that all peers get."""
    given = {
        "n_estimators": ROUNDS, "max_leaf_nodes": LEAVES, "learning_rate": RATE, "min_samples_leaf": ROWS,
        "early_stopping": False,
    }  # fmt: skip
    if loss == "classes":
        return er.GradientBoostingClassifier(**given)
    return er.GradientBoostingRegressor(loss, **given)


def light(loss: str) -> Any:
    """LightGBM; what it does to categories (smoothing, groups of 100 rows) stays at its defaults."""
    given = {
        "n_estimators": ROUNDS, "num_leaves": LEAVES, "learning_rate": RATE, "min_child_samples": ROWS,
        "reg_lambda": 0.0, "verbose": -1, "n_jobs": 1, "deterministic": True, "force_row_wise": True,
    }  # fmt: skip
    if loss == "classes":
        return lightgbm.LGBMClassifier(**given)
    return lightgbm.LGBMRegressor(objective=LIGHTGBM[loss], **given)


def histogram(loss: str) -> Any:
    """Return scikit-learn's booster without early stopping, with the settings that all peers get."""
    given = {
        "max_iter": ROUNDS, "max_leaf_nodes": LEAVES, "learning_rate": RATE, "min_samples_leaf": ROWS,
        "early_stopping": False, "categorical_features": "from_dtype",
    }  # fmt: skip
    if loss == "classes":
        return HistGradientBoostingClassifier(**given)
    return HistGradientBoostingRegressor(loss=SCIKIT_LEARN[loss], **given)


MODELS: dict[str, Callable[[str], Any]] = {"empirisk": ours, "LightGBM": light, "scikit-learn": histogram}
