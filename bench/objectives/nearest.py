"""The ten nearest rows of each query: the mean distance to what was found, on some queries, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

LOOKED_AT = 100  # queries


class Nearest:
    """A search for the nearest rows; the second array of the data holds the queries.

    Parameters
    ----------
    name : str
        Of the row: searches that compare all rows, and those by trees, have rows of their own.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def strength(self, X: Any, queries: Any) -> int:
        """Return how many neighbours of each query are wanted."""
        return 10

    def value(self, X: Any, queries: Any, k: int, result: np.ndarray) -> float:
        """Return the mean distance to the rows that were found."""
        some = _some(len(queries))
        found = X[result[some]].astype(np.float64)
        return float(np.linalg.norm(found - queries[some, None].astype(np.float64), axis=2).mean())

    def null(self, X: Any, queries: Any) -> float:
        """Return the mean distance to all rows."""
        some = _some(len(queries))[:10]
        return float(cdist(queries[some].astype(np.float64), X.astype(np.float64)).mean())

    def reference(self, X: Any, queries: Any, k: int) -> np.ndarray:
        """Return the rows of the smallest distances in float64, for the queries that are looked at."""
        some, out = _some(len(queries)), np.zeros((len(queries), k), dtype=np.int64)
        distance = cdist(queries[some].astype(np.float64), X.astype(np.float64))
        out[some] = np.argpartition(distance, k, axis=1)[:, :k]
        return out


def _some(m: int) -> np.ndarray:
    """Return which queries are looked at."""
    return np.unique(np.linspace(0, m - 1, min(m, LOOKED_AT)).astype(int))


OBJECTIVES = (Nearest("nearest_brute"), Nearest("nearest_brute_float32"), Nearest("nearest_tree"))
