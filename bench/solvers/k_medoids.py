"""Medoids by exchanges: ours, and the Rust library kmedoids of the authors of FasterPAM (n_cpu: all).

The peer has no distances of its own: it takes scikit-learn's.  Both start from the greedy rule BUILD, and
from the same rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import empirisk as er
from bench.solvers.base import Solver


def _start(n: int, k: int) -> np.ndarray:
    return np.random.default_rng(0).choice(n, k, replace=False)


def _square(X: Any) -> np.ndarray:
    """Return the distances among the first rows, where a first call is given only those."""
    return X if X.shape[0] == X.shape[1] else np.ascontiguousarray(X[:, : len(X)])


def _ours(metric: str, build: bool) -> Solver:
    def fit(X: Any, group: Any, k: int) -> np.ndarray:
        X = _square(X) if metric == "precomputed" else X
        init = "build" if build else _start(len(X), k)
        return np.asarray(er.KMedoids(k, metric=metric, init=init).fit(X).medoid_indices_)

    return Solver("empirisk", "init=build" if build else "init=rows", fit)


def _rust(given: bool, build: bool) -> Solver:
    def fit(X: Any, group: Any, k: int) -> np.ndarray:
        import kmedoids
        from sklearn.metrics import pairwise_distances

        D = _square(X) if given else pairwise_distances(X, n_jobs=-1)
        if build:
            return np.asarray(kmedoids.fasterpam(D, k, init="build").medoids)
        return np.asarray(kmedoids.fasterpam(D, _start(len(X), k).astype(np.uint64)).medoids)

    return Solver("kmedoids", "init=build" if build else "init=rows", fit)


SOLVERS = {
    "k_medoids": [
        _ours("euclidean", True),
        _ours("euclidean", False),
        _rust(False, True),
        _rust(False, False),
    ],
    "k_medoids_given": [
        _ours("precomputed", True),
        _ours("precomputed", False),
        _rust(True, True),
        _rust(True, False),
    ],
}
