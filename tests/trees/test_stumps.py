"""The compiled search for stumps against all stumps, and a round of votes against plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from empirisk import _loops
from empirisk.trees.stumps import StumpSearch, stump_trees
from tests.oracles.boosted_stumps import all_sides


def table(rng: np.random.Generator, n: int, gaps: bool) -> tuple[Any, Any]:
    """Two columns of numbers, one with few values, and one of 5 categories."""
    X = np.column_stack([rng.standard_normal(n), rng.integers(0, 4, n), rng.integers(0, 5, n)]).astype(float)
    if gaps:
        X[rng.random(X.shape) < 0.2] = np.nan
    return X, np.array([0, 0, 5])


def score(mass: Any, real: bool) -> float:
    """What the search maximises, by definition."""
    if mass.shape[1] == 2 and real:
        return float(-2.0 * np.sqrt(mass.prod(axis=1)).sum())
    if mass.shape[1] == 2:
        return float(np.abs(mass[:, 1] - mass[:, 0]).sum())
    if not real:
        return float(mass.max(axis=1).sum())
    weight = mass.sum(axis=1)
    return float(((mass**2).sum(axis=1)[weight > 0] / weight[weight > 0]).sum())


def masses(side: Any, y: Any, w: Any, k: int) -> Any:
    return np.array([np.bincount(y[p], weights=w[p], minlength=k) for p in (side, ~side)])


@given(st.integers(0, 10**6), st.integers(2, 60), st.booleans(), st.booleans(), st.sampled_from([2, 3, 4]))
@settings(max_examples=150, deadline=None)
def test_the_best_of_all_stumps(seed: int, n: int, gaps: bool, real: bool, k: int) -> None:
    rng = np.random.default_rng(seed)
    X, n_categories = table(rng, n, gaps)
    if real and k > 2:  # sets of categories are a heuristic there
        X, n_categories = X[:, :2], n_categories[:2]
    y = rng.integers(0, k, n).astype(np.int32)
    w = rng.exponential(size=n)
    w /= w.sum()
    search = StumpSearch(X, n_categories, y, k)
    stump = search.best(w, real)
    best = max(score(masses(side, y, w, k), real) for side in all_sides(X, n_categories))
    assert score(stump.mass, real) == pytest.approx(best, abs=3e-12)
    mass = masses(search.leaf == 0, y, w, k)[: len(stump.mass)]
    np.testing.assert_allclose(stump.mass, mass, atol=1e-12)
    # As a tree it sends the training rows where the search did.
    tree = stump_trees([stump], [np.arange(len(stump.mass))[:, None] + 1.0], n_categories)
    np.testing.assert_array_equal(tree.predict(X)[:, 0] - 1.0, search.leaf)


@pytest.mark.full  # many rows
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("real", [False, True])
def test_blocks_of_many_rows_and_threads(real: bool, k: int, rng: np.random.Generator) -> None:
    n = 1100
    X, n_categories = table(rng, n, True)
    X, n_categories = np.hstack([X, rng.standard_normal((n, 3))]), np.append(n_categories, [0] * 3)
    y = np.minimum(rng.poisson(np.exp(0.3 * X[:, 4])), k - 1).astype(np.int32)
    search = StumpSearch(X, n_categories, y, k)
    w = rng.exponential(size=n)
    found = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads):
            found.append(search.best(w / w.sum(), real))
    assert (
        len({(s.column, s.threshold, s.missing_left, s.words.tobytes(), s.mass.tobytes()) for s in found})
        == 1
    )
    if real and k > 2:
        X[:, 2] = 0.0  # a heuristic there, see above
    sides = all_sides(X[:, :3], n_categories[:3]) + all_sides(X[:, 3:], n_categories[3:])
    best = max(score(masses(side, y, w / w.sum(), k), real) for side in sides)
    assert score(found[0].mass, real) >= best - 3e-12


def test_ties_go_to_the_first_column_and_the_lowest_threshold() -> None:
    y = np.array([0, 1, 0, 1], dtype=np.int32)
    X = np.column_stack([[5.0, 5.0, 5.0, 5.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]])
    stump = StumpSearch(X, np.zeros(3, dtype=np.int64), y, 2).best(np.full(4, 0.25))
    assert (stump.column, stump.threshold) == (1, 1.5)


def test_neighbouring_floats_are_told_apart() -> None:
    low, high = 1.0, np.nextafter(1.0, 2.0)
    X = np.array([[low], [high], [-1e308], [1e308]])
    y = np.array([0, 1, 0, 1], dtype=np.int32)
    stump = StumpSearch(X, np.zeros(1, dtype=np.int64), y, 2).best(np.full(4, 0.25))
    assert low <= stump.threshold < high


def test_categories_without_weight_go_with_missing_values() -> None:
    codes = np.array([0.0, 0.0, 2.0, 2.0, np.nan, np.nan])
    y = np.array([0, 0, 1, 1, 1, 1], dtype=np.int32)
    search = StumpSearch(codes[:, None], np.array([4]), y, 2)
    tree = stump_trees([search.best(np.full(6, 1 / 6))], [np.array([[-1.0], [1.0]])], np.array([4]))
    said = tree.predict(np.array([[0.0], [1.0], [2.0], [3.0], [7.0], [np.nan]]))[:, 0]
    assert said.tolist() == [-1.0, 1.0, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("k", [2, 3, 5])
def test_a_round_of_votes(k: int, rng: np.random.Generator) -> None:
    n, leaves, outputs = 20_000, 4, 1 if k == 2 else k
    y, leaf = rng.integers(0, k, n).astype(np.int32), rng.integers(0, leaves, n).astype(np.int32)
    base, weight = rng.random(n), rng.random(n)
    value, factor = rng.standard_normal((leaves, outputs)), rng.random((leaves, k))
    score = rng.standard_normal((n, outputs))
    new, expected_weight = score + value[leaf], weight * factor[leaf, y]
    if k == 2:
        margin, wrong = np.where(y == 1, new[:, 0], -new[:, 0]), (new[:, 0] > 0) != (y == 1)
    else:
        others = np.where(np.eye(k, dtype=bool)[y], -np.inf, new)
        margin, wrong = 0.5 * (new[np.arange(n), y] - others.max(axis=1)), new.argmax(axis=1) != y
    loss = (base * np.exp(-margin)).sum() if k > 2 else 0.0
    got = []
    for threads in (1, 2, 3):
        s, w = score.copy(), weight.copy()
        with threadpool_limits(threads):
            got.append((_loops.vote_step(y, base, leaf, value, factor, s, w), s.tobytes(), w.tobytes()))
    assert got[0] == got[1] == got[2]
    np.testing.assert_array_equal(s, new)
    np.testing.assert_array_equal(w, expected_weight)
    want = (expected_weight.sum(), base[wrong].sum(), loss, margin.min())
    np.testing.assert_allclose(got[0][0], want, rtol=1e-12)


def test_loops_refuse_what_does_not_fit() -> None:
    X, y = np.arange(4.0)[:, None], np.array([0, 1, 0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="one entry for each row"):
        StumpSearch(X, np.zeros(1, dtype=np.int64), y, 2).best(np.full(3, 0.25))
    one = np.ones((1, 1))
    with pytest.raises(ValueError, match="does not exist"):
        _loops.vote_step(
            y,
            np.ones(4),
            np.array([0, 0, 1, 0], dtype=np.int32),
            one,
            np.ones((1, 2)),
            np.zeros((4, 1)),
            np.ones(4),
        )
