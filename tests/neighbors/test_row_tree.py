"""The tree of rows against comparing with all: the same bits for ties, copies, lines, leaves and sizes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk import _loops
from empirisk.neighbors import Index, metric_of
from empirisk.neighbors.metrics import Minkowski
from empirisk.typing import Array

POWERS = [1.0, 2.0, np.inf, 1.5, 3.0]

ROWS: dict[str, Callable[[np.random.Generator, int, int], Array]] = {
    "cloud": lambda rng, n, p: rng.normal(size=(n, p)),
    "far": lambda rng, n, p: rng.normal(size=(n, p)) + 1e4,
    "grid": lambda rng, n, p: rng.integers(0, 3, (n, p)).astype(float),
    "same": lambda rng, n, p: np.full((n, p), 3.3),
    "copies": lambda rng, n, p: rng.normal(size=(1 + n // 7, p))[rng.integers(0, 1 + n // 7, n)],
    "line": lambda rng, n, p: np.outer(rng.normal(size=n), rng.normal(size=p)) + 7.0,
    "constant columns": lambda rng, n, p: rng.normal(size=(n, p)) * (np.arange(p) % 2 == 0) + 1e-3,
    "outlier": lambda rng, n, p: np.concatenate([rng.normal(size=(n - 1, p)), np.full((1, p), 1e30)]),
    "small": lambda rng, n, p: 1e-30 * rng.normal(size=(n, p)),
}


def same(left: tuple[Array, ...], right: tuple[Array, ...]) -> None:
    """Assert that two answers have the same bits."""
    for one, other in zip(left, right, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", sorted(ROWS))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("power", POWERS)
def test_a_tree_has_the_bits_of_comparing_with_all(
    rng: np.random.Generator, kind: str, dtype: type, power: float
) -> None:
    metric = Minkowski(power)
    for n, p in [(1, 1), (7, 2), (8, 3), (9, 1), (65, 2), (700, 3), (300, 20)]:
        X = ROWS[kind](rng, n, p).astype(dtype)
        Q = np.concatenate([X[:30], X[:5] + dtype(0.25), ROWS["cloud"](rng, 5, p).astype(dtype)])
        tree, brute = Index(X, metric, "kd_tree"), Index(X, metric, "brute")
        for k in sorted({1, min(5, n), n}):
            same(tree.nearest(Q, k), brute.nearest(Q, k))
        if n > 1:
            own = np.arange(min(n, 30))
            k = min(4, n - 1)
            same(tree.nearest(X[:30], k, own), brute.nearest(X[:30], k, own))
        radius = float(np.median(metric.distances(Q, X)))
        same(tree.within(Q, radius), brute.within(Q, radius))


@pytest.mark.parametrize("leaf", [1, 2, 3, 7, 100])
def test_any_size_of_leaves_gives_the_same_answer(rng: np.random.Generator, leaf: int) -> None:
    for n in (1, 8, 17, 130, 513, 1100):
        X, Q = rng.integers(0, 9, (n, 3)).astype(float), rng.normal(4.0, 3.0, (20, 3))
        one, other = _loops.RowTree(X, leaf), _loops.RowTree(X, n)
        for k in (1, min(n, 6)):
            same(one.nearest(Q, k, 2.0), other.nearest(Q, k, 2.0))


@pytest.mark.parametrize("power", [1, 2])
def test_neighbours_are_those_of_exact_arithmetic(rng: np.random.Generator, power: int) -> None:
    X, Q = rng.integers(-4, 5, (150, 2)) / 8.0, rng.integers(-4, 5, (12, 2)) / 8.0
    _, index = Index(X, Minkowski(float(power)), "kd_tree").nearest(Q, 9)
    for q, found in zip(Q, index, strict=True):
        sums = [sum(abs(Fraction(a) - Fraction(b)) ** power for a, b in zip(q, x, strict=True)) for x in X]
        assert found.tolist() == sorted(range(150), key=lambda i: (sums[i], i))[:9]


def test_a_long_column_of_a_sorted_grid_and_a_saw_is_halved(rng: np.random.Generator) -> None:
    for values in (np.arange(9000.0), np.arange(9000.0)[::-1], np.arange(9000.0) % 5, np.zeros(9000)):
        X = np.stack([values, 1e-3 * rng.normal(size=9000)], axis=1)
        Q = X[::500] + 0.4
        same(
            Index(X, metric_of("euclidean"), "kd_tree").nearest(Q, 3),
            Index(X, metric_of("euclidean"), "brute").nearest(Q, 3),
        )


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-30, 1e30, 1e160, 1e300])
@pytest.mark.parametrize("name", ["euclidean", "manhattan", "chebyshev"])
def test_rows_of_any_size_have_the_answer_of_comparing(
    rng: np.random.Generator, scale: float, name: str
) -> None:
    X = scale * rng.normal(size=(90, 3))
    same(Index(X, metric_of(name), "kd_tree").nearest(X, 5), Index(X, metric_of(name), "brute").nearest(X, 5))
    mixed = np.concatenate([X, rng.normal(size=(10, 3))])
    same(
        Index(mixed, metric_of(name), "kd_tree").nearest(mixed, 5),
        Index(mixed, metric_of(name), "brute").nearest(mixed, 5),
    )


def test_formats_of_rows_and_queries_may_differ(rng: np.random.Generator) -> None:
    X, Q = rng.normal(size=(200, 3)).astype(np.float32), rng.normal(size=(20, 3))
    metric = metric_of("euclidean")
    same(Index(X, metric, "kd_tree").nearest(Q, 4), Index(X.astype(float), metric, "brute").nearest(Q, 4))
    strided = np.asfortranarray(Q)[::-2]
    same(
        Index(X[::2], metric, "kd_tree").nearest(strided, 4),
        Index(X[::2].copy(), metric, "brute").nearest(strided.copy(), 4),
    )
    sparse = sp.csr_array(Q)
    np.testing.assert_array_equal(
        Index(X, metric, "kd_tree").nearest(sparse, 4)[1], Index(X, metric, "kd_tree").nearest(Q, 4)[1]
    )


def test_any_number_of_threads_gives_the_same_bits(rng: np.random.Generator) -> None:
    X, Q = rng.integers(0, 40, (9000, 3)).astype(float), rng.normal(20.0, 15.0, (900, 3))
    answers = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads, user_api="openmp"):
            tree = Index(X, metric_of("euclidean"), "kd_tree")
            answers.append((*tree.nearest(Q, 9), *tree.within(Q, 2.0)))
    same(answers[0], answers[1])
    same(answers[0], answers[2])


def test_a_pickle_holds_the_rows_once(rng: np.random.Generator) -> None:
    X = rng.normal(size=(500, 3))
    tree = Index(X, metric_of("euclidean"), "kd_tree")
    before = len(pickle.dumps(tree))
    found = tree.nearest(X[:9], 3)
    assert len(pickle.dumps(tree)) == before
    same(pickle.loads(pickle.dumps(tree)).nearest(X[:9], 3), found)


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree"])
def test_estimators_and_graphs_answer_the_same(rng: np.random.Generator, algorithm: str) -> None:
    X, y = rng.normal(size=(1500, 2)), rng.integers(0, 3, 1500)
    model = er.KNeighborsClassifier(7, algorithm=algorithm).fit(X, y)
    other = er.KNeighborsClassifier(7, algorithm="brute").fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X + 0.1), other.predict_proba(X + 0.1))
    same(model.kneighbors(), other.kneighbors())
    for make in (er.kneighbors_graph, er.radius_graph):
        one, two = (make(X, 1, mode="distance", algorithm=a) for a in (algorithm, "brute"))
        assert (one != two).nnz == 0


def test_searches_say_how_they_are_made() -> None:
    with pytest.raises(ValueError, match="algorithm must be 'auto' or 'brute' or 'kd_tree', got 'ball'"):
        er.KNeighborsRegressor(1, algorithm="ball").fit(np.eye(3), [0.0, 1.0, 2.0])
    for X, metric, branches in (
        (np.eye(3), "euclidean", True),
        (np.eye(3), "cosine", False),
        (sp.csr_array(np.eye(3)), "euclidean", False),
    ):
        model = er.KNeighborsRegressor(1, algorithm="kd_tree", metric=metric).fit(X, [0.0, 1.0, 2.0])
        assert ("boxes" in model.certificate_.claim) == branches
        np.testing.assert_array_equal(model.predict(X), [0.0, 1.0, 2.0])
