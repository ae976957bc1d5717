"""Spectral clustering: ours, and scikit-learn with each of its eigenvalue solvers; the graphs of both."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.neighbors import kneighbors_graph

import empirisk as er
from bench.solvers.base import Solver


def _ours(X: Any, group: Any, k: int) -> np.ndarray:
    return np.asarray(er.SpectralClustering(k).fit(X).labels_)


def _scikit_learn(solver: str) -> Solver:
    def fit(X: Any, group: Any, k: int) -> np.ndarray:
        model = SpectralClustering(
            k, affinity="nearest_neighbors", eigen_solver=solver, random_state=0, n_jobs=-1
        )
        return np.asarray(model.fit(X).labels_)

    return Solver("scikit-learn", f"eigen_solver={solver}", fit)


def _our_graph(X: Any, group: Any, k: int) -> Any:
    return er.kneighbors_graph(X, k, mode="distance")


def _their_graph(X: Any, group: Any, k: int) -> Any:
    return kneighbors_graph(X, k, mode="distance", n_jobs=-1)


SOLVERS = {
    "spectral": [Solver("empirisk", "eigen", _ours), _scikit_learn("lobpcg"), _scikit_learn("arpack")],
    "neighbor_graph": [
        Solver("empirisk", "auto", _our_graph),
        Solver("scikit-learn", "kneighbors_graph", _their_graph),
    ],
}
