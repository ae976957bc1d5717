"""Medoids: exchanges, seeds and enumeration against brute force and plain loops."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from empirisk import _loops
from empirisk.clustering import build_medoids, exchange_medoids, medoids
from empirisk.clustering.medoids import best_exchange, best_subset, drawn_medoids


def problem(rng: np.random.Generator, n: int, dtype: type = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Return distances of normal rows and weights."""
    X = rng.normal(size=(n, 2))
    return cdist(X, X).astype(dtype), rng.exponential(size=n)


def total(D: np.ndarray, s: np.ndarray, rows: object) -> float:
    """Return the weighted sum of distances to the nearest of some rows."""
    return float(s @ D[np.asarray(rows)].astype(np.float64).min(axis=0))


def greedy(D: np.ndarray, s: np.ndarray, k: int) -> list[int]:
    """Return BUILD by trying every row at every step."""
    rows: list[int] = []
    for _ in range(k):
        left = [c for c in range(len(D)) if c not in rows]
        rows.append(min(left, key=lambda c: total(D, s, [*rows, c])))
    return rows


def test_exchanges_are_made_in_pieces_that_change_nothing(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two calls of a loop Python hears an interrupt: no call reads more than it may."""
    D, s = problem(rng, 301)
    start = np.arange(9)
    at_once = build_medoids(D, s, 9), exchange_medoids(D, s, start)
    read: list[int] = []
    exchange, gains = _loops.medoid_exchange, _loops.medoid_gains

    def exchanged(*given: Any) -> Any:
        read.append(given[-1] * 301)
        return exchange(*given)

    def gained(*given: Any) -> Any:
        read.append(len(given[-1]) * 301)
        return gains(*given)

    monkeypatch.setattr(_loops, "medoid_exchange", exchanged)
    monkeypatch.setattr(_loops, "medoid_gains", gained)
    monkeypatch.setattr(medoids, "_CALL", 301 * 40)
    np.testing.assert_array_equal(build_medoids(D, s, 9), at_once[0])
    piecewise = exchange_medoids(D, s, start)
    np.testing.assert_array_equal(piecewise.rows, at_once[1].rows)
    assert (piecewise.total, piecewise.n_exchanges) == (at_once[1].total, at_once[1].n_exchanges)
    assert max(read) <= 301 * 40


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_exchanges_end_where_none_is_left(dtype: type, rng: np.random.Generator) -> None:
    for n, k in ((1, 1), (2, 2), (9, 1), (40, 3), (70, 11), (130, 4)):
        D, s = problem(rng, n, dtype)
        found = exchange_medoids(D, s, rng.choice(n, k, replace=False))
        assert found.total == pytest.approx(total(D, s, found.rows), rel=1e-12)
        others = [
            total(D, s, [*np.delete(found.rows, j), c])
            for j in range(k)
            for c in range(n)
            if c not in found.rows
        ]
        assert min(others, default=np.inf) >= found.total * (1.0 - 1e-12)
        assert found.gain == pytest.approx(0.0, abs=1e-12 * found.total + 1e-300)


def test_gain_of_the_best_exchange_is_the_definition(rng: np.random.Generator) -> None:
    for n, k in ((12, 1), (12, 2), (30, 5)):
        D, s = problem(rng, n)
        rows = rng.choice(n, k, replace=False)
        each = [total(D, s, [*np.delete(rows, j), c]) for j in range(k) for c in range(n) if c not in rows]
        right = max(0.0, total(D, s, rows) - min(each))
        assert best_exchange(D, s, rows) == pytest.approx(right, rel=1e-12, abs=1e-13)
        # One pass too few leaves a gain, and says how large it is.
        stopped = exchange_medoids(np.asarray(D), s, rows, max_passes=1)
        assert stopped.gain == pytest.approx(best_exchange(D, s, stopped.rows), abs=1e-12)


def test_build_is_the_greedy_rule(rng: np.random.Generator) -> None:
    for n, k in ((1, 1), (15, 15), (60, 6), (200, 9)):
        D, s = problem(rng, n)
        assert build_medoids(D, s, k).tolist() == greedy(D, s, k)


def test_enumeration_finds_the_best_set_and_stops_where_there_are_too_many(rng: np.random.Generator) -> None:
    D, s = problem(rng, 14)
    right = min(total(D, s, rows) for rows in combinations(range(14), 4))
    best = best_subset(D, s, 4)
    assert best is not None
    assert best.total == pytest.approx(right, rel=1e-13)
    assert best_subset(*problem(rng, 100), 10) is None


def test_exchanges_from_build_are_near_the_best_set(rng: np.random.Generator) -> None:
    worst = 1.0
    for _ in range(20):
        D, s = problem(rng, 25)
        best = best_subset(D, s, 3)
        assert best is not None
        found = exchange_medoids(D, s, build_medoids(D, s, 3))
        assert found.total >= best.total * (1.0 - 1e-12)
        worst = max(worst, found.total / best.total)
    assert worst < 1.15


def test_draws_follow_weights_and_distances(rng: np.random.Generator) -> None:
    D = cdist([[0.0], [0.1], [10.0]], [[0.0], [0.1], [10.0]])
    s = np.array([1.0, 1.0, 2.0])
    first = [int(drawn_medoids(D, s, 1, rng, spread=False)[0]) for _ in range(4000)]
    assert np.bincount(first, minlength=3) / 4000 == pytest.approx([0.25, 0.25, 0.5], abs=0.04)
    pairs = [drawn_medoids(D, s, 2, rng, spread=True) for _ in range(400)]
    assert np.mean([2 in pair for pair in pairs]) > 0.97
    same = drawn_medoids(np.zeros((4, 4)), np.ones(4), 4, rng, spread=True)
    assert sorted(same.tolist()) == [0, 1, 2, 3]


@pytest.mark.parametrize("power", [0, 1, 2])
def test_compiled_distances_are_those_of_scipy(power: int, rng: np.random.Generator) -> None:
    name = {0: "chebyshev", 1: "cityblock", 2: "euclidean"}[power]
    for n, p in ((1, 1), (63, 3), (200, 17)):
        X, out = rng.normal(size=(n, p)), np.full((n, n), np.nan)
        for begin in range(0, n, 70):
            _loops.row_distances(np.ascontiguousarray(X.T), power, begin, min(n, begin + 70), out)
        np.testing.assert_allclose(out, cdist(X, X, name), rtol=1e-14, atol=0.0)
        np.testing.assert_array_equal(out, out.T)


def test_same_bits_for_any_number_of_threads(rng: np.random.Generator) -> None:
    X, D = rng.normal(size=(4200, 8)), np.empty((4200, 4200), dtype=np.float32)
    s, start = rng.exponential(size=4200), np.arange(7)
    _loops.row_distances(np.ascontiguousarray(X.T), 2, 0, 4200, D)
    with threadpool_limits(1):
        again = np.empty_like(D)
        _loops.row_distances(np.ascontiguousarray(X.T), 2, 0, 4200, again)
        np.testing.assert_array_equal(again, D)
        one, seeds = exchange_medoids(D, s, start, max_passes=1), build_medoids(D, s, 3)
    other = exchange_medoids(D, s, start, max_passes=1)
    np.testing.assert_array_equal(one.rows, other.rows)
    assert (one.total, one.gain) == (other.total, other.gain)
    np.testing.assert_array_equal(seeds, build_medoids(D, s, 3))


def test_loops_refuse_what_does_not_fit() -> None:
    D, near, apart = np.zeros((3, 3)), np.zeros(6, np.int32), np.zeros(6)
    with pytest.raises(ValueError, match="square array in C order"):
        _loops.medoid_gains(np.zeros((3, 2)), None, None, np.arange(3))
    with pytest.raises(ValueError, match="numbers of rows"):
        _loops.medoid_gains(D, None, None, np.array([3]))
    with pytest.raises(ValueError, match="medoids must be numbers of rows"):
        _loops.medoid_assign(D, None, np.array([0, 5]), near, apart)
    near[:] = 7
    with pytest.raises(ValueError, match="call medoid_assign first"):
        _loops.medoid_exchange(D, None, np.array([0, 1]), near, apart, (0, 0, 0, 0.0), 0.0, 3)
