"""Searches against plain NumPy: every metric and format, ties, copies, rows left out, threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial import cKDTree
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.neighbors import METRICS, Index, metric_of
from empirisk.typing import Array, IndexArray

NAMES = sorted(set(METRICS) - {"precomputed"})


def rows(rng: np.random.Generator, kind: str, n: int, p: int) -> Array:
    """Rows far from 0, on a grid with many ties and copies, or all the same."""
    if kind == "far":
        return rng.normal(size=(n, p)) + 1e4
    return rng.integers(0, 3, (n, p)).astype(float) if kind == "grid" else np.full((n, p), 3.3)


def plain(distance: Array, k: int, left_out: IndexArray | None = None) -> tuple[Array, IndexArray]:
    """The k smallest of each line, the first of equal ones."""
    if left_out is not None:
        distance = distance.copy()
        distance[np.arange(len(distance)), left_out] = np.inf
    order = np.argsort(distance, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distance, order, axis=1), order


def squares(Q: Array, X: Array) -> Array:
    """Sums of squared differences, in the order of the columns."""
    out = np.zeros((len(Q), len(X)))
    for j in range(X.shape[1]):
        out += (Q[:, j, None].astype(float) - X[None, :, j].astype(float)) ** 2
    return out


@pytest.mark.parametrize("kind", ["far", "grid", "same"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "p", "k"), [(1, 1, 1), (5, 3, 2), (300, 5, 7), (150, 700, 5), (400, 3, 200)])
def test_euclidean_search_is_exact(
    rng: np.random.Generator, n: int, p: int, k: int, dtype: type, kind: str
) -> None:
    X = rows(rng, kind, n, p).astype(dtype)
    Q = np.concatenate([X[: n // 2], rows(rng, kind, 20, p).astype(dtype)])
    wanted, order = plain(squares(Q, X), k)
    for left, right in ((X, Q), (np.asfortranarray(X), Q[::-1].copy()[::-1])):
        distance, index = Index(left, metric_of("euclidean")).nearest(right, k)
        np.testing.assert_array_equal(index, order)
        np.testing.assert_allclose(distance, np.sqrt(wanted), rtol=1e-12)
    sparse = np.where(rng.random(X.shape) < 0.5, X, 0.0).astype(dtype)
    found = Index(sp.csr_array(sparse), metric_of("euclidean")).nearest(sp.csr_array(sparse[: n // 2 + 1]), k)
    np.testing.assert_array_equal(found[1], plain(squares(sparse[: n // 2 + 1], sparse), k)[1])
    if n > k:
        own = np.arange(n)
        _, index = Index(X, metric_of("euclidean")).nearest(X, k, own)
        np.testing.assert_array_equal(index, plain(squares(X, X), k, own)[1])


@pytest.mark.parametrize("name", NAMES)
def test_metrics_are_their_formulas(rng: np.random.Generator, name: str) -> None:
    A, B = rng.uniform(0.1, 1.4, (7, 2)), rng.uniform(0.1, 1.4, (9, 2))
    B[0] = A[0]
    d = A[:, None, :] - B[None, :, :]
    unit = [X / np.linalg.norm(X, axis=1, keepdims=True) for X in (A, B)]
    sphere = [
        np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
        for lat, lon in (A.T, B.T)
    ]
    formulas = {
        "euclidean": np.sqrt((d**2).sum(-1)),
        "minkowski": np.sqrt((d**2).sum(-1)),
        "manhattan": np.abs(d).sum(-1),
        "chebyshev": np.abs(d).max(-1),
        "hamming": (d != 0.0).mean(-1),
        "cosine": 1.0 - unit[0] @ unit[1].T,
        "haversine": np.arccos(np.clip(sphere[0] @ sphere[1].T, -1.0, 1.0)),
    }
    metric = metric_of(name)
    np.testing.assert_allclose(metric.distances(A, B), formulas[name], atol=3e-8)
    wanted, order = plain(metric.distances(A, B), 4)
    distance, index = Index(B, metric).nearest(A, 4)
    np.testing.assert_allclose(distance, wanted, rtol=1e-12)
    np.testing.assert_array_equal(index, order)


def test_all_within_a_radius_are_found(rng: np.random.Generator) -> None:
    X, Q = rng.normal(size=(200, 3)), rng.normal(size=(30, 3))
    starts, found, distance = Index(X, metric_of("euclidean")).within(Q, 0.8)
    wanted = cKDTree(X).query_ball_point(Q, 0.8, return_sorted=True)
    for i, near in enumerate(wanted):
        mine = found[starts[i] : starts[i + 1]]
        assert sorted(mine.tolist()) == near
        assert (np.diff(distance[starts[i] : starts[i + 1]]) >= 0.0).all()


def test_any_number_of_threads_gives_the_same_bits(rng: np.random.Generator) -> None:
    X, Q = rng.normal(size=(3000, 16)), rng.normal(size=(500, 16))
    answers = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads, user_api="openmp"):
            answers.append(Index(X, metric_of("euclidean")).nearest(Q, 9))
    for other in answers[1:]:
        np.testing.assert_array_equal(other[0], answers[0][0])
        np.testing.assert_array_equal(other[1], answers[0][1])


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_extreme_scales_find_the_same_rows(rng: np.random.Generator, scale: float) -> None:
    X = rng.normal(size=(60, 4))
    distance, index = Index(X, metric_of("euclidean")).nearest(X, 5)
    scaled, same = Index(X * scale, metric_of("euclidean")).nearest(X * scale, 5)
    np.testing.assert_array_equal(same, index)
    np.testing.assert_allclose(scaled / scale, distance, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("dtype", "unit"), [(np.float64, 2.0**-1070), (np.float32, 2.0**-146)])
def test_subnormal_numbers_find_the_same_rows(rng: np.random.Generator, dtype: type, unit: float) -> None:
    whole = rng.integers(0, 8, (60, 3)).astype(dtype)
    X = whole * dtype(unit)  # exact: multiples of a subnormal unit
    distance, index = Index(X, metric_of("euclidean")).nearest(X, 5)
    _, wanted = Index(whole, metric_of("euclidean")).nearest(whole, 5)
    np.testing.assert_array_equal(index, wanted)
    assert np.isfinite(distance).all()


@pytest.mark.parametrize(
    ("dtype", "unit", "far"),
    [(np.float32, 1.0, 3e38), (np.float32, 4e-23, 1.0), (np.float64, 1.0, 1e200), (np.float64, 1.0, 1e300)],
)
def test_one_entry_far_away_changes_no_other_answer(
    rng: np.random.Generator, dtype: type, unit: float, far: float
) -> None:
    X, Q = (unit * rng.normal(size=(n, 3)).astype(dtype) for n in (400, 5))
    X, Q = X.astype(dtype), Q.astype(dtype)
    wanted, order = plain(squares(Q, X), 4)
    one = np.full((1, 3), far, dtype=dtype)
    for rows_, queries in ((X, np.concatenate([Q, one])), (np.concatenate([X, one]), Q)):
        distance, index = Index(rows_, metric_of("euclidean")).nearest(queries, 4)
        np.testing.assert_array_equal(index[:5], order)
        np.testing.assert_allclose(distance[:5], np.sqrt(wanted), rtol=1e-12)


def test_small_differences_beside_large_numbers_are_seen() -> None:
    X: Array = np.array([[1e-200], [0.0], [-3e-200], [1.0]])
    distance, index = Index(X, metric_of("euclidean")).nearest(np.zeros((1, 1)), 3)
    np.testing.assert_array_equal(index, [[1, 0, 2]])
    np.testing.assert_allclose(distance, [[0.0, 1e-200, 3e-200]], rtol=1e-15)
    _, index = Index(X, metric_of("euclidean")).nearest(X, 2, np.arange(4))
    np.testing.assert_array_equal(index, [[1, 2], [0, 2], [1, 0], [0, 1]])


def test_equal_roots_of_different_squares_go_by_number() -> None:
    X: Array = np.array([[1.0, 1.2e-8], [1.0, 0.0]])  # squares 1 + 2^-52 and 1
    distance, index = Index(X, metric_of("euclidean")).nearest(np.zeros((1, 2)), 2)
    np.testing.assert_array_equal(distance, [[1.0, 1.0]])
    np.testing.assert_array_equal(index, [[0, 1]])


def test_cosine_tells_small_angles_apart_and_copies_are_at_zero(rng: np.random.Generator) -> None:
    angle: Array = np.array([3e-9, 0.0, 1e-9, 2e-9])
    X = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    distance, index = Index(X, metric_of("cosine")).nearest(X[1:2], 4)
    np.testing.assert_array_equal(index, [[1, 2, 3, 0]])
    np.testing.assert_allclose(distance[0], np.sort(angle) ** 2 / 2.0, rtol=1e-6)
    copies = np.tile(rng.normal(size=(20, 7)), (2, 1))
    distance, index = Index(copies, metric_of("cosine")).nearest(copies[20:], 2)
    assert (distance == 0.0).all()
    np.testing.assert_array_equal(index, np.stack([np.arange(20), np.arange(20, 40)], axis=1))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: er.KNeighborsClassifier(metric="cosine"), "row 2 of X is zero and has no direction"),
        (lambda: er.KNeighborsClassifier(metric="haversine"), "latitude and longitude, got 3"),
        (lambda: er.KNeighborsClassifier(metric="precomputed"), "got 4 x 3"),
        (lambda: er.KNeighborsClassifier(metric="ball"), "metric must be one of chebyshev"),
        (lambda: er.KNeighborsClassifier(1, metric=lambda a, b: -1.0), "must be a finite number >= 0"),
        (lambda: er.KNeighborsClassifier(1, weights=lambda d: -d - 1.0), "must return finite numbers >= 0"),
    ],
)
def test_rows_that_a_metric_does_not_know_are_refused(make: Any, words: str) -> None:
    X = np.array([[1.0, 0.5, 0.0], [0.2, 0.0, 1.0], [0.0, 0.0, 0.0], [0.3, 1.0, 1.0]])
    with pytest.raises(ValueError, match=words):
        make().fit(X, [0, 1, 0, 1]).predict(X)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_leave_one_out_for_all_numbers_is_that_of_refits(weights: str) -> None:
    X, y = load_iris(return_X_y=True)
    X = X[::3] + 1e-3 * np.arange(50)[:, None]
    model = er.KNeighborsClassifier("cv", weights=weights).fit(X, y[::3])
    for k in (1, 4, 9):
        errors = [
            er.KNeighborsClassifier(k, weights=weights)
            .fit(np.delete(X, i, axis=0), np.delete(y[::3], i))
            .predict(X[i : i + 1])[0]
            != y[3 * i]
            for i in range(50)
        ]
        assert model.selection_.loss[k - 1] == np.mean(errors)
    target = X[:, 3]
    regression = er.KNeighborsRegressor("cv", weights=weights).fit(X[:, :3], target)
    for k in (1, 6):
        found = [
            er.KNeighborsRegressor(k, weights=weights)
            .fit(np.delete(X[:, :3], i, axis=0), np.delete(target, i))
            .predict(X[i : i + 1, :3])[0]
            for i in range(50)
        ]
        assert regression.selection_.loss[k - 1] == pytest.approx(0.5 * np.mean((found - target) ** 2))


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("symmetric", ["no", "either", "both"])
def test_graphs_are_their_definitions(rng: np.random.Generator, mode: str, symmetric: str) -> None:
    X = rng.integers(0, 4, (40, 2)).astype(float)
    D = np.sqrt(squares(X, X))
    edges = np.zeros((40, 40), dtype=bool)
    np.put_along_axis(edges, plain(D, 5, np.arange(40))[1], True, axis=1)
    edges = {"no": edges, "either": edges | edges.T, "both": edges & edges.T}[symmetric]
    found = er.kneighbors_graph(X, 5, mode=mode, symmetric=symmetric)
    assert found.nnz == edges.sum()
    rows, columns = found.nonzero() if mode == "connectivity" else (None, None)
    if rows is not None:
        assert edges[rows, columns].all()
    wanted = D if mode == "distance" else np.ones_like(D)
    np.testing.assert_allclose(found.toarray(), np.where(edges, wanted, 0.0), atol=1e-12)
    near = er.radius_graph(X, 1.5, mode=mode)
    inside = (D <= 1.5) & ~np.eye(40, dtype=bool)
    assert near.nnz == inside.sum()
    np.testing.assert_allclose(near.toarray(), np.where(inside, wanted, 0.0), atol=1e-12)
    np.testing.assert_allclose(near.toarray(), near.toarray().T)


def test_graphs_refuse_what_they_cannot_make() -> None:
    with pytest.raises(ValueError, match="n_neighbors = 3 asks for more rows than there are: 2 other"):
        er.kneighbors_graph(np.eye(3), 3)
    with pytest.raises(ValueError, match="symmetric must be 'no' or 'either' or 'both'"):
        er.kneighbors_graph(np.eye(3), 1, symmetric="yes")
    with pytest.raises(ValueError, match="radius"):
        er.radius_graph(np.eye(3), -1.0)
