"""Similarity graphs against their definitions, over all pairs of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

import empirisk as er

G = er.graphs
ROWS = np.random.default_rng(3).normal(size=(40, 2)).round(1)  # rounded, so that there are ties and copies


def nearest(X: np.ndarray, k: int) -> np.ndarray:
    """Return which rows are among the k nearest others of which, ties to the smaller number."""
    distance = cdist(X, X)
    np.fill_diagonal(distance, np.inf)
    out = np.zeros(distance.shape, dtype=bool)
    for i, line in enumerate(distance):
        out[i, np.argsort(line, kind="stable")[:k]] = True
    return out


def width(X: np.ndarray) -> float:
    """Return the median distance to the k-th nearest row, k = floor(log n) + 1."""
    distance = np.sort(cdist(X, X), axis=1)  # the first is the row itself
    return float(np.median(distance[:, int(np.log(len(X))) + 1]))


DEFINED = {
    "knn": (G.NearestNeighborGraph(4), lambda X: nearest(X, 4) | nearest(X, 4).T),
    "mutual_knn": (G.MutualNeighborGraph(4), lambda X: nearest(X, 4) & nearest(X, 4).T),
    "epsilon": (G.RadiusGraph(0.5), lambda X: (cdist(X, X) <= 0.5) & ~np.eye(len(X), dtype=bool)),
}


@pytest.mark.parametrize("name", sorted(DEFINED))
def test_edges_by_definition(name: str) -> None:
    graph, edges = DEFINED[name]
    W = graph.matrix(ROWS)
    np.testing.assert_array_equal(W.toarray(), edges(ROWS).astype(float))
    np.testing.assert_array_equal(graph.matrix(sp.csr_array(ROWS)).toarray(), W.toarray())
    heavy = type(graph)(*[v for v in (getattr(graph, "n_neighbors", None), getattr(graph, "radius", None))
                          if v is not None], weights="gaussian").matrix(ROWS)  # fmt: skip
    want = edges(ROWS) * np.exp(-(cdist(ROWS, ROWS) ** 2) / (2.0 * width(ROWS) ** 2))
    np.testing.assert_allclose(heavy.toarray(), want, rtol=1e-12)


def test_fully_connected_by_definition() -> None:
    want = np.exp(-(cdist(ROWS, ROWS) ** 2) / (2.0 * width(ROWS) ** 2)) - np.eye(len(ROWS))
    W = G.GaussianGraph().matrix(ROWS)
    np.testing.assert_allclose(W, want, atol=1e-12)
    np.testing.assert_array_equal(W, W.T)


def test_blocks_of_a_large_graph_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = G.GaussianGraph(1.0).matrix(ROWS)
    monkeypatch.setattr("empirisk.graphs.fully_connected.BLOCK", 7 * len(ROWS))
    np.testing.assert_allclose(G.GaussianGraph(1.0).matrix(ROWS), whole, rtol=1e-14)


def test_every_graph_of_the_registry_is_symmetric_without_loops() -> None:
    for name, kind in G.REGISTRY.items():
        graph: Any = kind()
        assert graph.name == name
        assert isinstance(graph, G.SimilarityGraph)
        W = G.adjacency(graph.matrix(ROWS))
        assert not W.diagonal().any()
        assert G.degrees(W).sum() > 0.0


def test_the_smallest_radius_leaves_no_vertex_isolated() -> None:
    X = np.random.default_rng(5).normal(size=(60, 3))
    assert len(G.isolated(G.RadiusGraph().matrix(X))) == 0
    distance = cdist(X, X) + np.diag(np.full(60, np.inf))
    below = np.nextafter(distance.min(axis=1).max(), 0.0) * (1.0 - 1e-12)
    assert len(G.isolated(G.RadiusGraph(below).matrix(X))) > 0


def test_a_given_matrix_of_distances_is_a_metric() -> None:
    W = G.NearestNeighborGraph(4, metric="precomputed").matrix(cdist(ROWS, ROWS))
    np.testing.assert_array_equal(W.toarray(), G.NearestNeighborGraph(4).matrix(ROWS).toarray())
    whole = G.GaussianGraph(0.7, metric="precomputed").matrix(cdist(ROWS, ROWS))
    np.testing.assert_allclose(whole, G.GaussianGraph(0.7).matrix(ROWS), atol=1e-12)


def test_bridges_are_the_shortest_edges_between_components() -> None:
    rng = np.random.default_rng(8)
    X = np.vstack([rng.normal(size=(15, 2)) + at for at in ([0, 0], [9, 0], [0, 30])])
    W = G.NearestNeighborGraph(3).matrix(X)
    assert G.components(W)[0] == 3
    joined, bridges = G.bridged(X, W)
    assert G.components(joined)[0] == 1
    distance, group = cdist(X, X), np.repeat(np.arange(3), 15)
    for a, b in ((0, 1), (0, 2)):
        block = distance[np.ix_(group == a, group == b)]
        i, j = np.unravel_index(block.argmin(), block.shape)
        assert [15 * a + i, 15 * b + j] in bridges.tolist()
    assert len(bridges) == 2


def test_more_neighbours_than_rows_are_refused_in_fits_too() -> None:
    """No number that was asked for is changed in silence: by every rule that has neighbours, and by fits."""
    for name, kind in G.REGISTRY.items():
        options = {"n_neighbors": 40} if "n_neighbors" in kind.__dataclass_fields__ else {}
        ways = [lambda o=options, k=kind: k(**o).matrix(ROWS)]
        ways.append(lambda o=options, a=name: er.SpectralClustering(2, affinity=a, **o).fit(ROWS))
        for way in ways:
            if not options:
                way()
                continue
            with pytest.raises(
                ValueError, match="n_neighbors = 40 asks for more rows than there are: 39 other"
            ):
                way()
    # Parts of the rows, which the eigengap compares, may have fewer: all others are neighbours there.
    assert len(er.SpectralClustering("eigengap", n_neighbors=39, n_resamples=2).fit(ROWS).labels_) == 40


def test_parameters_are_refused_by_name() -> None:
    for make, words in (
        (lambda: G.NearestNeighborGraph(0), "n_neighbors must be an integer >= 1, got 0"),
        (lambda: G.NearestNeighborGraph(weights="heavy"), "weights must be 'binary' or 'gaussian'"),
        (lambda: G.RadiusGraph(-1.0), "radius must be a finite number > 0, got -1"),
        (lambda: G.GaussianGraph(0.0), "bandwidth must be a finite number > 0, got 0"),
        (lambda: G.NearestNeighborGraph(5).matrix(np.zeros((5, 1))), "n_neighbors = 5 asks for more rows"),
        (lambda: G.NearestNeighborGraph(1).matrix(np.array([[0.0], [np.nan]])), "NaN in column 0, row 1"),
    ):
        with pytest.raises(ValueError, match=words):
            make()
    with pytest.raises(MemoryError, match=r"GB and .* are free: take a sparse graph"):
        G.GaussianGraph(1.0).matrix(np.zeros((10**7, 1)))
