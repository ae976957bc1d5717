"""The candidates made of trees: a pruned tree, boosted trees, a forest, on native levels and gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.report.fit.candidates import Candidate
from empirisk.search.tuning.ranges import ROUNDS, prunings

__all__ = ["grown_estimator", "grown_grid", "n_leaves", "trees_of"]

Floats = NDArray[np.float64]
TREES = 200
# Shares of classes in smaller leaves are too rough to be probabilities (Malley et al. 2012 take 10 %).
LEAF = 5
SMOOTHING = 0.5  # rows added to each class in the whole training part, so that no probability is 0


def grown_estimator(
    candidate: Candidate, task: str, value: float, levels: Sequence[int], seed: int, rates: bool = False
) -> Any:
    """The unfitted estimator.

    Parameters
    ----------
    candidate : Candidate
    task : {"binary", "multiclass", "regression"}
    value : float
        Of the candidate's parameter; NaN where it has none.
    levels : sequence of int
        Columns that hold codes of levels.
    seed : int
    rates : bool, default False
        Whether the rows have exposures, so that boosting is by the likelihood of counts.
    """
    from empirisk import estimators

    kind = "Regressor" if task == "regression" else "Classifier"
    more: dict[str, Any] = {"categorical_features": list(levels) or None, "random_state": seed}
    if task != "regression" and candidate.kind != "boosting":
        more["smoothing"] = SMOOTHING
    if candidate.kind == "tree":
        if task != "regression":  # probabilities are judged by the log-loss, and so are branches
            more |= {"criterion": "entropy", "risk": "criterion"}
        return estimators.REGISTRY[f"DecisionTree{kind}"](alpha=value, min_samples_leaf=LEAF, **more)
    if candidate.kind == "boosting":
        more |= {"n_estimators": int(value), "early_stopping": False}
        more |= {"loss": "poisson"} if rates else {}
        return estimators.REGISTRY[f"GradientBoosting{kind}"](**more | dict(candidate.settings))
    more |= {"n_estimators": TREES, "min_samples_leaf": LEAF}
    return estimators.REGISTRY[f"RandomForest{kind}"](**more | dict(candidate.settings))


def grown_grid(candidate: Candidate, X: Any, y: NDArray[Any], levels: Sequence[int], size: int) -> Floats:
    """Values of the parameter from the simplest model to the richest; one NaN where there is none.

    A tree: geometric midpoints of the strengths at which the whole training part loses a branch, thinned to
    `size`.  Boosting: rounds, the most not above one for each 5 rows; those that a search tried.
    """
    if candidate.kind == "forest":
        return np.array([np.nan])
    if candidate.tried:
        return np.array(candidate.tried)
    if candidate.kind == "boosting":
        rounds = [r for r in ROUNDS if r <= max(10, y.size // 5)]
        return np.array(rounds[-size:], dtype=np.float64)
    task = "regression" if y.dtype.kind == "f" else "binary"
    return np.array(prunings(grown_estimator(candidate, task, 0.0, levels, 0), X, y, size))


def trees_of(model: Any) -> Any:
    """Return the trees of a fitted model, None for a model that is not made of trees."""
    found = getattr(model, "trees_", None)
    return getattr(model, "tree_", None) if found is None else found


def n_leaves(model: Any) -> int:
    """Return the leaves of all trees of a fitted model."""
    return 1 if model is None else int(trees_of(model).n_leaves.sum())
