"""Spectral clustering from rows to groups, by the normalised cut of a graph of neighbours; and that graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import SpectralClustering

import empirisk as er

NEIGHBORS = 10
BLOCK = 1000


def _graph(X: Any) -> Any:
    """Return the graph of the ten nearest rows, an edge where one of two asks for it."""
    return er.graphs.NearestNeighborGraph(NEIGHBORS).matrix(X)


class SpectralCut:
    """The normalised cut of the groups that are found, on one and the same graph of ten neighbours."""

    name = "spectral"
    # k-means on the rows of eigenvectors ends in different fixed points, and peers weigh edges their way.
    accuracy = 0.02

    def strength(self, X: Any, group: Any) -> int:
        """Return how many groups the rows were drawn from."""
        return int(group.max()) + 1

    def value(self, X: Any, group: Any, k: int, labels: np.ndarray) -> float:
        """Return the normalised cut of the groups that a solver found."""
        return er.graphs.normalized_cut(_graph(X), labels)

    def null(self, X: Any, group: Any) -> float:
        """Return the normalised cut of groups that are dealt in turn."""
        return er.graphs.normalized_cut(_graph(X), np.arange(len(X)) % self.strength(X, group))

    def reference(self, X: Any, group: Any, k: int) -> np.ndarray:
        """Return the groups of eigenvectors to machine precision (ARPACK) and 50 starts of k-means."""
        W = _graph(X)
        W.indices, W.indptr = W.indices.astype(np.int32), W.indptr.astype(np.int32)
        peer = SpectralClustering(k, affinity="precomputed", n_init=50, random_state=0)
        return np.asarray(peer.fit(W).labels_)


class NeighborGraph:
    """The mean length of the edges from each row to its ten nearest others."""

    name = "neighbor_graph"

    def strength(self, X: Any, group: Any) -> int:
        """Return how many neighbours each row has."""
        return NEIGHBORS

    def value(self, X: Any, group: Any, k: int, graph: Any) -> float:
        """Return the mean of the stored lengths."""
        return float(graph.data.sum()) / (k * len(X))

    def null(self, X: Any, group: Any) -> float:
        """Return the mean distance of some rows to all."""
        return float(cdist(X[:BLOCK], X).mean())

    def reference(self, X: Any, group: Any, k: int) -> Any:
        """Return the graph by comparing all pairs, in blocks."""
        import scipy.sparse as sp

        blocks = []
        for start in range(0, len(X), BLOCK):
            distance = cdist(X[start : start + BLOCK], X)
            rows = np.arange(len(distance))
            distance[rows, start + rows] = np.inf
            near = np.argpartition(distance, k, axis=1)[:, :k]
            block = (
                np.take_along_axis(distance, near, axis=1).ravel(),
                near.ravel(),
                np.arange(len(rows) + 1) * k,
            )
            blocks.append(sp.csr_array(block, shape=distance.shape))
        return sp.vstack(blocks, format="csr")


OBJECTIVES = (SpectralCut(), NeighborGraph())
