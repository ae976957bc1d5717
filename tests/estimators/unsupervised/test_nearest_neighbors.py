"""Nearest rows against all pairs: order, ties, copies, radii, graphs, layouts, and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors as Peer
from threadpoolctl import threadpool_limits

import empirisk as er

METRICS = {
    "euclidean": lambda a, b: float(np.sqrt(((a - b) ** 2).sum())),
    "manhattan": lambda a, b: float(np.abs(a - b).sum()),
    "chebyshev": lambda a, b: float(np.abs(a - b).max()),
    "hamming": lambda a, b: float((a != b).mean()),
}
ALGORITHMS = ["auto", "brute", "kd_tree"]


def pairs(Q: Any, X: Any, metric: str) -> np.ndarray:
    """Return all distances by the definition."""
    return np.array([[METRICS[metric](q, x) for x in X] for q in Q])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("metric", METRICS)
def test_searches_are_those_of_all_pairs(metric: str, algorithm: str, rng: np.random.Generator) -> None:
    X = rng.integers(0, 4, (60, 2)).astype(float)  # many ties and copies, and distances that are exact
    Q = rng.integers(0, 4, (9, 2)).astype(float)
    model = er.NearestNeighbors(7, radius=1.0, metric=metric, algorithm=algorithm).fit(X)
    for asked, rows in ((Q, Q), (None, X)):
        D = pairs(rows, X, metric)
        if asked is None:
            np.fill_diagonal(D, np.inf)
        order = [sorted(range(60), key=lambda j, d=d: (d[j], j)) for d in D]
        distance, index = model.kneighbors(asked)
        assert index.tolist() == [line[:7] for line in order]
        np.testing.assert_allclose(distance, np.take_along_axis(D, index, axis=1), rtol=1e-15)
        distances, numbers = model.radius_neighbors(asked)
        for i, line in enumerate(order):
            assert numbers[i].tolist() == [j for j in line if D[i, j] <= 1.0]
            np.testing.assert_allclose(distances[i], D[i, numbers[i]], rtol=1e-15)
        near = np.argsort(np.argsort(D, axis=1, kind="stable"), axis=1) < 7
        np.testing.assert_array_equal(model.kneighbors_graph(asked).toarray(), near)
        graph = model.radius_neighbors_graph(asked, mode="distance")
        assert graph.nnz == (D <= 1.0).sum()  # edges of distance 0 are stored
        np.testing.assert_allclose(graph.toarray(), np.where(D <= 1.0, D, 0.0), rtol=1e-15)


def test_a_search_may_say_another_number_and_radius(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 3))
    model, other = er.NearestNeighbors().fit(X), er.NearestNeighbors(9, radius=0.4).fit(X)
    np.testing.assert_array_equal(
        model.kneighbors(n_neighbors=9, return_distance=False), other.kneighbors()[1]
    )
    for a, b in zip(model.radius_neighbors(radius=0.4)[1], other.radius_neighbors()[1], strict=True):
        np.testing.assert_array_equal(a, b)
    assert (model.kneighbors_graph(n_neighbors=9) != other.kneighbors_graph()).nnz == 0
    assert (model.radius_neighbors_graph(radius=0.4) != other.radius_neighbors_graph()).nnz == 0
    assert [len(line) for line in model.radius_neighbors(X[:2], 0.0, return_distance=False)] == [1, 1]


def test_the_functions_make_the_same_graphs(rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 3))
    model = er.NearestNeighbors(4, radius=0.7).fit(X)
    for mode in ("connectivity", "distance"):
        assert (model.kneighbors_graph(mode=mode) != er.kneighbors_graph(X, 4, mode=mode)).nnz == 0
        assert (model.radius_neighbors_graph(mode=mode) != er.radius_graph(X, 0.7, mode=mode)).nnz == 0


def test_scikit_learn_finds_the_same(rng: np.random.Generator) -> None:
    X, Q = rng.normal(size=(300, 4)), rng.normal(size=(40, 4))
    ours, peer = er.NearestNeighbors(6, radius=0.9).fit(X), Peer(n_neighbors=6, radius=0.9).fit(X)
    for asked in (Q, None):
        for a, b in zip(ours.kneighbors(asked), peer.kneighbors(asked), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
        theirs = peer.radius_neighbors_graph(asked, mode="distance").toarray()
        np.testing.assert_allclose(
            ours.radius_neighbors_graph(asked, mode="distance").toarray(), theirs, rtol=1e-12
        )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_layouts_and_threads_change_nothing(algorithm: str, rng: np.random.Generator) -> None:
    X = rng.integers(-3, 4, (700, 5)) / 4.0
    wanted = er.NearestNeighbors(8, radius=0.6, algorithm="brute").fit(X)
    for stored in (np.asfortranarray(X), sp.csr_array(X), sp.csc_array(X), X.astype(np.float32)):
        with threadpool_limits(2, user_api="openmp"):
            model = er.NearestNeighbors(8, radius=0.6, algorithm=algorithm).fit(stored)
            np.testing.assert_array_equal(model.kneighbors()[1], wanted.kneighbors()[1])
            got, should = model.radius_neighbors_graph(), wanted.radius_neighbors_graph()
        assert (got != should).nnz == 0


def test_distances_may_be_given(rng: np.random.Generator) -> None:
    X, Q = rng.normal(size=(30, 2)), rng.normal(size=(4, 2))
    given = er.NearestNeighbors(3, metric="precomputed").fit(pairs(X, X, "manhattan"))
    model = er.NearestNeighbors(3, metric="manhattan").fit(X)
    np.testing.assert_array_equal(given.kneighbors()[1], model.kneighbors()[1])
    np.testing.assert_array_equal(given.kneighbors(pairs(Q, X, "manhattan"))[1], model.kneighbors(Q)[1])
    assert (given.radius_neighbors_graph() != model.radius_neighbors_graph()).nnz == 0


def test_what_cannot_be_asked_is_said(rng: np.random.Generator) -> None:
    X = rng.normal(size=(6, 2))
    model = er.NearestNeighbors(6).fit(X)
    assert model.kneighbors(X)[1].shape == (6, 6)
    with pytest.raises(
        ValueError, match="n_neighbors = 6 asks for more rows than there are: 5 other training"
    ):
        model.kneighbors()
    with pytest.raises(ValueError, match="n_neighbors must be an integer >= 1, got 0"):
        model.kneighbors(X, 0)
    with pytest.raises(ValueError, match="radius must be a finite number >= 0, got -1"):
        model.radius_neighbors(X, -1)
    with pytest.raises(ValueError, match="mode must be 'connectivity' or 'distance', got 'weight'"):
        model.kneighbors_graph(X, mode="weight")
    with pytest.raises(ValueError, match="return_distance must be True or False, got 1"):
        model.kneighbors(X, return_distance=1)
    with pytest.raises(ValueError, match=r"n_neighbors must be an integer >= 1, got 2\.5"):
        er.NearestNeighbors(2.5).fit(X)
    with pytest.raises(ValueError, match="radius must be a finite number >= 0, got nan"):
        er.NearestNeighbors(radius=np.nan).fit(X)
    with pytest.raises(ValueError, match="X has 3 features"):
        model.kneighbors(np.ones((1, 3)))
