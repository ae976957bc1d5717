"""Merging along the edges of a graph."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.cluster import ward_tree
from sklearn.neighbors import kneighbors_graph

import empirisk as er
from empirisk import _loops
from empirisk.linkage import REGISTRY, MergeTree
from tests.conformance.clusterers import same_partition

EACH = pytest.mark.parametrize("name", sorted(REGISTRY))


@EACH
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_a_complete_graph_constrains_nothing(name: str, metric: str, rng: np.random.Generator) -> None:
    if REGISTRY[name].centroids and metric != "euclidean":
        return
    X = rng.normal(size=(40, 3))
    free = er.AgglomerativeClustering(3, linkage=name, metric=metric).fit(X)
    bound = er.AgglomerativeClustering(3, linkage=name, metric=metric, connectivity=np.ones((40, 40))).fit(X)
    np.testing.assert_array_equal(bound.linkage_matrix_[:, :2], free.linkage_matrix_[:, :2])
    np.testing.assert_allclose(bound.distances_, free.distances_, rtol=1e-9)
    assert er.verify(bound, X, None).within(1e-9)


def test_ward_on_a_graph_is_that_of_scikit_learn(rng: np.random.Generator) -> None:
    X = rng.normal(size=(120, 2))
    graph = kneighbors_graph(X, 8)
    assert connected_components(graph, directed=False)[0] == 1
    children, _, _, _, height = ward_tree(X, connectivity=graph, return_distance=True)
    model = er.AgglomerativeClustering(4, connectivity=graph).fit(X)
    np.testing.assert_array_equal(model.children_, np.sort(children, axis=1))
    np.testing.assert_allclose(model.distances_, height, rtol=1e-9)
    assert er.verify(model, X, None).within(1e-9)


@EACH
def test_clusters_are_connected_while_the_graph_is(name: str, rng: np.random.Generator) -> None:
    """The rows of a ring are far from their neighbours, and merged with them all the same."""
    n = 30
    ring = sp.diags_array([1.0, 1.0], offsets=[1, n - 1], shape=(n, n))
    X = rng.normal(size=(n, 2))
    model = er.AgglomerativeClustering(4, linkage=name, connectivity=ring).fit(X)
    tree = MergeTree(model.linkage_matrix_)
    both = (ring + ring.T).tocsr()
    for node in range(n, 2 * n - 1):
        rows = tree.members(node)
        assert connected_components(both[rows][:, rows])[0] == 1
    assert er.verify(model, X, None).within(1e-9)
    assert "that the graph connects" in model.certificate_.claim


@EACH
def test_components_are_joined_last_and_named(name: str, rng: np.random.Generator) -> None:
    """Two components that lie in one place stay apart until nothing else is left."""
    X = rng.normal(size=(20, 2))
    half = np.arange(20) % 2
    graph = sp.csr_array((half[:, None] == half[None, :]).astype(float))
    model = er.AgglomerativeClustering(2, linkage=name, connectivity=graph).fit(X)
    assert same_partition(model.labels_, half)
    assert model.free_merges_ == 1
    assert "the graph has 2 components, which were joined without it" in model.certificate_.claim
    assert er.verify(model, X, None).within(1e-9)
    weight = np.ones(20)
    weight[[3, 4]] = 0.0
    fewer = er.AgglomerativeClustering(2, linkage=name, connectivity=graph).fit(X, sample_weight=weight)
    assert same_partition(fewer.labels_[weight > 0], half[weight > 0])


@pytest.mark.parametrize("name", ["single", "complete"])
def test_of_equally_close_pairs_the_smaller_numbers_are_merged(name: str, rng: np.random.Generator) -> None:
    """Rows on a lattice have equal distances, which these linkages do not round; all pairs are compared."""
    X = np.stack(np.meshgrid(np.arange(7.0), np.arange(6.0)), axis=-1).reshape(-1, 2)[rng.permutation(42)]
    graph = sp.csr_array(cdist(X, X) == 1.0)
    model = er.AgglomerativeClustering(2, linkage=name, metric="manhattan", connectivity=graph).fit(X)
    link, near, D = REGISTRY[name](), graph.toarray().astype(bool), cdist(X, X, "cityblock")
    mass, alive, node = np.ones(42), list(range(42)), list(range(42))
    for k, row in enumerate(model.linkage_matrix_):
        _, a, b = min((D[i, j], i, j) for i in alive for j in alive if i < j and near[i, j])
        assert sorted((node[a], node[b])) == row[:2].tolist()
        p, q, c, g = link.coefficients(mass[a], mass[b], mass)
        D[b] = D[:, b] = p * D[a] + q * D[b] + c * D[a, b] + g * np.abs(D[a] - D[b])
        near[b] |= near[a]
        near[:, b] |= near[:, a]
        mass[b] += mass[a]
        alive.remove(a)
        node[b] = 42 + k


def test_distances_that_overflow_end_in_one_tree() -> None:
    """Squares of such rows are infinite, and the loop still ends with all merges."""
    X = np.array([[1e200], [-1e200], [1e200], [3e200]])
    starts, ends = np.array([0, 1, 2, 3, 4]), np.array([1, 0, 3, 2])
    linker = _loops.ConnectedLinker(X, "ward", False, np.ones(4), starts, ends)
    while linker.step(100):
        pass
    first, second, _ = linker.result()
    assert len({*first.tolist(), *second.tolist()}) == 4


@pytest.mark.parametrize(
    ("starts", "ends", "message"),
    [
        ([0, 1], [1], "no lists of edges"),
        ([0, 2, 1, 2], [1, 0], "must not fall"),
        ([0, 1, 2, 2], [1, 3], "numbers of rows"),
    ],
)
def test_broken_lists_of_edges_are_refused(starts: list[int], ends: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _loops.ConnectedLinker(np.eye(3), "ward", False, np.ones(3), np.array(starts), np.array(ends))


def test_graphs_of_another_shape_or_with_nan_are_refused(rng: np.random.Generator) -> None:
    X = rng.normal(size=(6, 2))
    for graph, message in (
        (np.ones((5, 5)), r"connectivity has shape \(5, 5\), and X has 6 rows"),
        (np.where(np.eye(6) > 0, np.nan, 1.0), r"connectivity\[0, 0\] is nan"),
        ("knn", "connectivity must be None or a matrix"),
    ):
        with pytest.raises(ValueError, match=message):
            er.AgglomerativeClustering(2, connectivity=graph).fit(X)


def test_a_stored_zero_between_two_rows_is_refused(rng: np.random.Generator) -> None:
    """A graph weighted by distance stores 0 between equal rows, whose edge would be lost."""
    X = rng.normal(size=(12, 2))
    X[7] = X[4]
    graph = er.kneighbors_graph(X, 4, mode="distance")
    with pytest.raises(ValueError, match=r"connectivity\[4, 7\] is stored as 0, .* put 1"):
        er.AgglomerativeClustering(2, connectivity=graph).fit(X)
    meant = er.AgglomerativeClustering(2, connectivity=er.kneighbors_graph(X, 4)).fit(X)
    graph.data[:] = 1.0
    np.testing.assert_array_equal(
        er.AgglomerativeClustering(2, connectivity=graph).fit(X).labels_, meant.labels_
    )
    loop = sp.csr_array((np.zeros(1), ([3], [3])), shape=(12, 12)) + 0.0 * sp.eye_array(12)
    er.AgglomerativeClustering(2, connectivity=loop).fit(X)
