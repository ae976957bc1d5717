"""Medoids: the mean distance of the rows to the nearest of K rows; the K is that of the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist


class KMedoidsSum:
    """The mean distance to the nearest medoid.

    Parameters
    ----------
    name : str
        Of the row.
    given : bool
        Whether X is the matrix of distances.
    """

    # Searches end in different optima of exchanges.
    accuracy = 0.01

    def __init__(self, name: str, given: bool) -> None:
        self.name, self.given = name, given

    def strength(self, X: Any, group: Any) -> int:
        """Return how many groups the rows were drawn from."""
        return int(group.max()) + 1

    def value(self, X: Any, group: Any, k: int, medoids: np.ndarray) -> float:
        """Return the mean distance to the nearest of the medoids."""
        rows = np.asarray(medoids, dtype=np.int64)
        apart = X[rows].T if self.given else cdist(X, X[rows])
        return float(apart.min(axis=1).mean())

    def null(self, X: Any, group: Any) -> float:
        """Return the mean distance to the best single row."""
        return float((X if self.given else cdist(X, X)).sum(axis=1).min() / len(X))

    def reference(self, X: Any, group: Any, k: int) -> np.ndarray:
        """Return what turns of medoids and their groups find from the true groups, in plain NumPy."""
        D, near = X if self.given else cdist(X, X), np.asarray(group)
        rows = np.zeros(k, dtype=np.int64)
        for _ in range(50):
            before = rows
            members = [np.flatnonzero(near == j) for j in range(k)]
            rows = np.array([m[D[np.ix_(m, m)].sum(axis=1).argmin()] for m in members])
            if np.array_equal(rows, before):
                break
            near = D[rows].argmin(axis=0)
        return rows


OBJECTIVES = (KMedoidsSum("k_medoids", False), KMedoidsSum("k_medoids_given", True))
