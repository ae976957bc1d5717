"""The graph that spectral clustering cuts: different rows that count and have an edge, joined where it falls
apart.

Equal rows are one vertex, whose weights are the sums of theirs: no cut parts them, and which of them took a
place among the nearest of another row changes nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.equal_rows import places_of
from empirisk.data.sparse_cells import is_sparse
from empirisk.graphs import (
    GaussianGraph,
    LaplacianOperator,
    MutualNeighborGraph,
    NearestNeighborGraph,
    RadiusGraph,
    SimilarityGraph,
    adjacency,
    bridged,
    components,
)
from empirisk.graphs.counted import alone, counted, merged
from empirisk.neighbors import metric_of
from empirisk.typing import Array, IndexArray

__all__ = ["RowGraph", "graph_of", "row_graph", "rows_of"]


@dataclass(frozen=True, eq=False)
class RowGraph:
    """A graph of rows, and the part of it that is cut.

    Parameters
    ----------
    W : array or csr_array, shape (n, n)
        The weights between the rows; those of rows of weight 0 are 0.
    inside : array of int, shape (m,)
        The rows that count and have an edge to another row, or to a copy of their own.
    place : array of int, shape (m,)
        The vertex of each of them, which equal rows share.
    copies : array, shape (m,)
        How often each of them counts.
    part : array or csr_array, shape (g, g)
        The weights between all copies of the vertices, bridges included.
    count : array, shape (g,)
        The copies of each vertex, those of all its rows.
    n_components : int
        Connected components of the graph of these vertices before any bridge.
    bridges : array of int, shape (b, 2)
        Edges that were added.
    """

    W: Any
    inside: IndexArray
    place: IndexArray
    copies: Array
    part: Any
    count: Array
    n_components: int
    bridges: IndexArray

    def operator(self, normalised: bool) -> LaplacianOperator:
        """Return L_s, or L, for vectors of all copies that are equal on the copies of a row."""
        mass = None if (self.count == 1.0).all() else self.count
        # Self-loops cancel in L, but for their rounding: many copies of a row have large ones.
        return LaplacianOperator(self.part if normalised else _without_loops(self.part), normalised, mass)

    def size(self, normalised: bool) -> Array:
        """Return what a cut divides by: the degrees of the vertices, or their copies."""
        return np.asarray(self.part.sum(axis=1)).ravel() if normalised else self.count

    def of_rows(self, vectors: Array) -> Array:
        """Return orthonormal vectors of the rows inside from those of the vertices: equal on copies."""
        return np.asarray(vectors[self.place] * self._share[:, None])

    def of_places(self, vectors: Array) -> Array:
        """Return vectors of the vertices from those of the rows inside: of equal rows the first counts."""
        first = self.first
        return np.asarray(vectors[first] / self._share[first, None])

    @property
    def first(self) -> IndexArray:
        """The first row of each vertex, as its place among those inside."""
        return np.unique(self.place, return_index=True)[1]

    @property
    def _share(self) -> Array:
        """The square root of the share that each row has in its vertex."""
        return np.asarray(np.sqrt(self.copies / self.count[self.place]))


def graph_of(model: Any, most: float) -> SimilarityGraph | None:
    """Return the rule that makes weights, with so many neighbours at most; None where these are given."""
    edges = {"weights": model.weights, "bandwidth": model.bandwidth, "metric": model.metric}
    if model.affinity == "precomputed":
        return None
    if model.affinity == "gaussian":
        return GaussianGraph(model.bandwidth, model.metric)
    if model.affinity == "epsilon":
        return RadiusGraph(model.radius, **edges)
    kind = NearestNeighborGraph if model.affinity == "knn" else MutualNeighborGraph
    return kind(min(model.n_neighbors, most), **edges)


def row_graph(model: Any, X: Any, weight: Array, most: int, part: bool = False) -> RowGraph:
    """Return the graph of rows by the parameters of a model.

    Parameters
    ----------
    model : SpectralClustering
        Its parameters count.
    X : array or CSR, shape (n, p)
        Checked rows, or weights or distances of the rows.
    weight : array, shape (n,)
        Copies of the rows, 0 for those that are absent; one of them at least is not 0.
    most : int
        Components that may stay apart.
    part : bool, default False
        Whether the rows are a part of those of a fit, which may have fewer other rows than neighbours are
        asked for, and all are neighbours then.

    Raises
    ------
    ValueError
        For weights that the graph cannot have, for more neighbours than there are other rows, and for more
        components than may stay apart where the weights are given, which have no lengths.
    """
    n, live = X.shape[0], np.flatnonzero(weight > 0.0)
    kept, count = rows_of(model, X, live), weight[live]
    rule = graph_of(model, max(1, len(live) - 1) if part else math.inf)
    W = adjacency(kept) if rule is None else rule.matrix(kept, count)
    if rule is not None and not rule.counts:
        count = np.ones(len(live))  # they are equal, and a scale changes nothing
    place = np.arange(len(live)) if rule is None else places_of(kept)
    V, mass = (
        merged(counted(W, count, None if rule is None else 1.0), place),
        np.bincount(place, count).astype(np.float64),
    )
    used = np.setdiff1d(np.arange(len(mass)), alone(V, mass))
    inside = np.flatnonzero(np.isin(place, used))
    place = np.searchsorted(used, place[inside])
    within, mass = _within(V, used), mass[used]
    found = components(within)[0] if len(used) else 0
    bridges: IndexArray = np.empty((0, 2), dtype=np.intp)
    if found > most:
        if rule is None:
            raise ValueError(
                f"the graph has {found} connected components, more than clusters ({most}), and a given W "
                "does not tell which are near: ask for as many clusters, or give W with edges between them"
            )
        first = inside[np.unique(place, return_index=True)[1]]
        within, made = bridged(rows_of(model, kept, first), within, model.metric, mass)
        bridges = live[first][made]
    return RowGraph(_spread(W, live, n), live[inside], place, count[inside], within, mass, found, bridges)


def rows_of(model: Any, X: Any, rows: IndexArray) -> Any:
    """Return some rows; of a matrix of weights or distances their columns, too."""
    if len(rows) == X.shape[0]:
        return X
    square = model.affinity == "precomputed" or metric_of(model.metric).precomputed
    if not square:
        return X[rows]
    return X[rows][:, rows] if is_sparse(X) else X[np.ix_(rows, rows)]


def _without_loops(W: Any) -> Any:
    """Return weights without those of vertices with themselves; the same object where there are none."""
    loops = W.diagonal()
    if not loops.any():
        return W
    if is_sparse(W):
        out = sp.csr_array(W - sp.diags_array(loops))
        out.eliminate_zeros()
        out.sort_indices()
        return out
    out = W.copy()
    np.fill_diagonal(out, 0.0)
    return out


def _within(W: Any, rows: IndexArray) -> Any:
    """Return the weights of some vertices."""
    if len(rows) == W.shape[0]:
        return W
    return sp.csr_array(W[rows][:, rows]) if is_sparse(W) else W[np.ix_(rows, rows)]


def _spread(W: Any, live: IndexArray, n: int) -> Any:
    """Return weights for all rows, 0 for those that are absent."""
    if len(live) == n:
        return W
    if is_sparse(W):
        edges = sp.coo_array(W)
        return sp.csr_array((edges.data, (live[edges.coords[0]], live[edges.coords[1]])), shape=(n, n))
    out = np.zeros((n, n))
    out[np.ix_(live, live)] = W
    return out
