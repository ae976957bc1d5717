"""Exact searches for neighbours: ours, scikit-learn, oneDAL, faiss in single precision, SciPy's k-d tree.

A call keeps the rows (or builds the tree) and searches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

import empirisk as er
from bench.solvers.base import Solver


def _ours(algorithm: str) -> Solver:
    def search(X: Any, queries: Any, k: int) -> np.ndarray:
        model = er.KNeighborsRegressor(k, algorithm=algorithm).fit(X, np.zeros(len(X)))
        return np.asarray(model.kneighbors(queries)[1])

    return Solver("empirisk", f"algorithm={algorithm}", search)


def _scikit_learn(algorithm: str) -> Solver:
    def search(X: Any, queries: Any, k: int) -> np.ndarray:
        model = NearestNeighbors(n_neighbors=k, algorithm=algorithm, n_jobs=-1).fit(X)
        return np.asarray(model.kneighbors(queries, return_distance=True)[1])

    return Solver("scikit-learn", f"algorithm={algorithm}", search)


def _intelex(algorithm: str) -> Solver:
    def search(X: Any, queries: Any, k: int) -> np.ndarray:
        from sklearnex.neighbors import NearestNeighbors as Nearest

        model = Nearest(n_neighbors=k, algorithm=algorithm, n_jobs=-1).fit(X)
        return np.asarray(model.kneighbors(queries)[1])

    return Solver("scikit-learn-intelex", f"algorithm={algorithm}", search)


def _faiss(X: Any, queries: Any, k: int) -> np.ndarray:
    import faiss

    index = faiss.IndexFlatL2(X.shape[1])
    index.add(np.ascontiguousarray(X, dtype=np.float32))
    return np.asarray(index.search(np.ascontiguousarray(queries, dtype=np.float32), k)[1])


def _scipy(X: Any, queries: Any, k: int) -> np.ndarray:
    return np.asarray(cKDTree(X).query(queries, k, workers=-1)[1])


BRUTE = [_ours("brute"), _scikit_learn("brute"), _intelex("brute")]
SOLVERS = {
    "nearest_brute": BRUTE,
    "nearest_brute_float32": [*BRUTE, Solver("faiss", "IndexFlatL2", _faiss)],
    "nearest_tree": [
        _ours("auto"),
        _scikit_learn("kd_tree"),
        _intelex("kd_tree"),
        Solver("SciPy", "cKDTree", _scipy),
    ],
}
