"""Forests of classification trees, by ours and every peer; a fit returns the function that predicts labels.

LightGBM's forest mode bounds its leaves: here 2^14, about as many as the others grow on 1e5 rows."""

from __future__ import annotations

import os
from typing import Any

from sklearn import ensemble

import empirisk as er
from bench.solvers.base import Solver

LEAVES = 1 << 14


def _threads() -> int:
    return int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1))


def _ours(X: Any, y: Any, trees: int) -> Any:
    return er.RandomForestClassifier(trees, random_state=0).fit(X, y).predict


def _our_extra(X: Any, y: Any, trees: int) -> Any:
    return er.ExtraTreesClassifier(trees, random_state=0).fit(X, y).predict


def _scikit_learn(X: Any, y: Any, trees: int) -> Any:
    return ensemble.RandomForestClassifier(trees, random_state=0, n_jobs=_threads()).fit(X, y).predict


def _scikit_learn_extra(X: Any, y: Any, trees: int) -> Any:
    return ensemble.ExtraTreesClassifier(trees, random_state=0, n_jobs=_threads()).fit(X, y).predict


def _intelex(X: Any, y: Any, trees: int) -> Any:
    from sklearnex.ensemble import RandomForestClassifier

    return RandomForestClassifier(trees, random_state=0, n_jobs=_threads()).fit(X, y).predict


def _intelex_extra(X: Any, y: Any, trees: int) -> Any:
    from sklearnex.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(trees, random_state=0, n_jobs=_threads()).fit(X, y).predict


def _lightgbm(X: Any, y: Any, trees: int) -> Any:
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(
        boosting_type="rf",
        n_estimators=trees,
        num_leaves=min(LEAVES, len(y)),
        subsample=0.632,
        subsample_freq=1,
        feature_fraction_bynode=X.shape[1] ** -0.5,
        min_child_samples=1,
        min_child_weight=0.0,
        n_jobs=_threads(),
        verbose=-1,
    )
    return model.fit(X, y).predict


SOLVERS = {
    "forest": [
        Solver("empirisk", "with out-of-bag", _ours),
        Solver("scikit-learn", "RandomForestClassifier", _scikit_learn),
        Solver("scikit-learn-intelex", "on histograms", _intelex),
        Solver("lightgbm", "rf, 16384 leaves", _lightgbm),
    ],
    "extra_trees": [
        Solver("empirisk", "", _our_extra),
        Solver("scikit-learn", "ExtraTreesClassifier", _scikit_learn_extra),
        Solver("scikit-learn-intelex", "on histograms", _intelex_extra),
    ],
}
