"""Ward's tree along a graph of the ten nearest rows: the mean height of its merges."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import ward_tree
from sklearn.neighbors import kneighbors_graph

NEIGHBORS = 10


class ConnectedHeight:
    """The mean height of the merges of clusters between which the graph has an edge."""

    name = "linkage_connected"
    accuracy = 1e-9

    def strength(self, X: Any, other: Any) -> Any:
        """Return the graph, which the solvers take in the place of a strength."""
        return kneighbors_graph(X, NEIGHBORS)

    def value(self, X: Any, other: Any, graph: Any, heights: np.ndarray) -> float:
        """Return the mean height, or infinity where merges are missing."""
        return float(np.mean(heights)) if len(heights) == len(X) - 1 else np.inf

    def null(self, X: Any, other: Any) -> float:
        """Return the mean distance of each row to the next one."""
        return float(np.linalg.norm(np.diff(X, axis=0), axis=1).mean())

    def reference(self, X: Any, other: Any, graph: Any) -> np.ndarray:
        """Return the heights of scikit-learn's function of trees."""
        return np.asarray(ward_tree(X, connectivity=graph, return_distance=True)[4])
