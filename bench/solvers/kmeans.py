"""K-means: ours, scikit-learn, oneDAL, and faiss, which computes in single precision.

Steps and convergence start from the rows that the data give; seeding is greedy k-means++ with as many
candidates as scikit-learn takes. faiss is told to take all rows: by default it takes a sample of them. Our
tolerance is relative to the total variance and weighs clusters by their rows, that of scikit-learn is a sum
over the clusters relative to the mean variance of a column: ours is the stricter one on these rows.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans, kmeans_plusplus

import empirisk as er
from bench.solvers.base import Solver
from empirisk.clustering.seedings import KMeansPlusPlus


def _silent(model: Any, X: Any) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(model.fit(X).cluster_centers_)


def _classes(library: str) -> Any:
    """Return the class of a library, imported when it is first called."""
    if library == "empirisk":
        return er.KMeans
    if library == "scikit-learn":
        return KMeans
    from sklearnex.cluster import KMeans as Other

    return Other


def _estimator(library: str, label: str, parameters: dict[str, Any], drawn: bool = False) -> Solver:
    def fit(X: Any, start: Any, k: int) -> np.ndarray:
        init = "k-means++" if drawn else start
        return _silent(_classes(library)(k, init=init, random_state=0, **parameters), X)

    return Solver(library, label, fit)


def _faiss(steps: int) -> Any:
    def fit(X: Any, start: Any, k: int) -> np.ndarray:
        import faiss

        model = faiss.Kmeans(X.shape[1], k, niter=steps, max_points_per_centroid=len(X))
        model.train(np.asarray(X, np.float32), init_centroids=np.asarray(start, np.float32))
        return np.asarray(model.centroids)

    return fit


def _seeds(X: Any, start: Any, k: int) -> np.ndarray:
    return KMeansPlusPlus().centers(X, None, k, np.random.default_rng(0))


def _peer_seeds(X: Any, start: Any, k: int) -> np.ndarray:
    return np.asarray(kmeans_plusplus(X, k, random_state=0)[0])


def _batches(X: Any, start: Any, k: int) -> np.ndarray:
    return _silent(er.MiniBatchKMeans(k, random_state=0), X)


def _peer_batches(X: Any, start: Any, k: int) -> np.ndarray:
    return _silent(MiniBatchKMeans(k, random_state=0), X)


LIBRARIES = ("empirisk", "scikit-learn", "scikit-learn-intelex")
TOL = {"empirisk": 1e-8, "scikit-learn": 1e-4, "scikit-learn-intelex": 1e-4}
SOLVERS = {
    "kmeans_20_steps": [
        *(_estimator(name, "", {"n_init": 1, "max_iter": 20, "tol": 0.0}) for name in LIBRARIES),
        Solver("faiss", "", _faiss(20)),
    ],
    "kmeans_converged": [
        *(_estimator(name, f"tol={TOL[name]:g}", {"n_init": 1, "tol": TOL[name]}) for name in LIBRARIES),
        Solver("faiss", "40 steps", _faiss(40)),
    ],
    "kmeans_seeding": [
        Solver("empirisk", "k-means++", _seeds),
        Solver("scikit-learn", "k-means++", _peer_seeds),
    ],
    "mini_batches": [Solver("empirisk", "", _batches), Solver("scikit-learn", "", _peer_batches)],
    "kmeans_4_starts": [
        _estimator(name, f"tol={TOL[name]:g}", {"n_init": 4, "tol": TOL[name]}, True) for name in LIBRARIES
    ],
}
