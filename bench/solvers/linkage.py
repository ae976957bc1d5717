"""Trees of merged clusters: ours, fastcluster (rows, or their matrix), SciPy, scikit-learn, genieclust.

A call ends with the heights of all merges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.cluster.hierarchy as hierarchy
from sklearn.cluster import AgglomerativeClustering

import empirisk as er
from bench.solvers.base import Solver


def _ours(X: Any, other: Any, link: str) -> np.ndarray:
    return np.asarray(er.AgglomerativeClustering(2, linkage=link).fit(X).distances_)


def _fastcluster_rows(X: Any, other: Any, link: str) -> np.ndarray:
    import fastcluster

    return np.asarray(fastcluster.linkage_vector(X, link)[:, 2])


def _fastcluster(X: Any, other: Any, link: str) -> np.ndarray:
    import fastcluster

    return np.asarray(fastcluster.linkage(X, link)[:, 2])


def _scipy(X: Any, other: Any, link: str) -> np.ndarray:
    return np.asarray(hierarchy.linkage(X, link)[:, 2])


def _scikit_learn(X: Any, other: Any, link: str) -> np.ndarray:
    model = AgglomerativeClustering(2, linkage=link, compute_distances=True).fit(X)
    return np.asarray(model.distances_)


def _genieclust(X: Any, other: Any, link: str) -> np.ndarray:
    """With a Gini threshold of one Genie is single linkage."""
    import genieclust

    model = genieclust.Genie(n_clusters=1, gini_threshold=1.0).fit(X)
    return np.asarray(model.distances_)


def _our_connected(X: Any, other: Any, graph: Any) -> np.ndarray:
    return np.asarray(er.AgglomerativeClustering(2, connectivity=graph).fit(X).distances_)


def _their_connected(X: Any, other: Any, graph: Any) -> np.ndarray:
    model = AgglomerativeClustering(2, connectivity=graph, compute_distances=True).fit(X)
    return np.asarray(model.distances_)


OURS = Solver("empirisk", "", _ours)
ROWS = Solver("fastcluster", "rows", _fastcluster_rows)
MATRIX = Solver("fastcluster", "matrix", _fastcluster)
SCIPY = Solver("SciPy", "", _scipy)
SCIKIT_LEARN = Solver("scikit-learn", "", _scikit_learn)

SOLVERS = {
    "linkage_connected": [
        Solver("empirisk", "ward", _our_connected),
        Solver("scikit-learn", "ward", _their_connected),
    ],
    "linkage_single": [OURS, ROWS, SCIPY, SCIKIT_LEARN, Solver("genieclust", "Genie", _genieclust)],
    "linkage_ward": [OURS, ROWS, SCIPY, SCIKIT_LEARN],
    "linkage_average": [OURS, MATRIX, SCIPY, SCIKIT_LEARN],
    "linkage_complete": [OURS, MATRIX, SCIPY, SCIKIT_LEARN],
}
