"""One classification tree, by ours and every peer; a fit returns the function that predicts labels.

LightGBM is not among the dependencies: `pip install lightgbm` to measure it."""

from __future__ import annotations

import os
from typing import Any

from sklearn.tree import DecisionTreeClassifier

import empirisk as er
from bench.solvers.base import Solver

LEAVES = 1 << 17  # LightGBM wants a number


def _ours(X: Any, y: Any, depth: int | None) -> Any:
    return er.DecisionTreeClassifier(alpha=None, max_depth=depth, random_state=0).fit(X, y).predict


def _scikit_learn(X: Any, y: Any, depth: int | None) -> Any:
    return DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y).predict


def _intelex(X: Any, y: Any, depth: int | None) -> Any:
    from sklearnex.ensemble import RandomForestClassifier

    model = RandomForestClassifier(1, max_depth=depth, max_features=None, bootstrap=False, random_state=0)
    return model.fit(X, y).predict


def _lightgbm(X: Any, y: Any, depth: int | None) -> Any:
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(
        n_estimators=1,
        learning_rate=1.0,
        max_depth=depth or -1,
        num_leaves=LEAVES if depth is None else 2**depth,
        min_child_samples=1,
        min_child_weight=0.0,
        n_jobs=int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)),
        verbose=-1,
    )
    return model.fit(X, y).predict


_ALL = [
    Solver("empirisk", "", _ours),
    Solver("scikit-learn", "DecisionTreeClassifier", _scikit_learn),
    Solver("scikit-learn-intelex", "forest of one tree on histograms", _intelex),
    Solver("lightgbm", "one tree on histograms", _lightgbm),
]
SOLVERS = {"tree": _ALL, "shallow_tree": _ALL}
