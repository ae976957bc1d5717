"""What every seeding owes: K distinct rows that count, the same for weights and repetitions, or a refusal."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.clustering.seedings import (
    REGISTRY,
    KMeansParallel,
    KMeansPlusPlus,
    RandomRows,
    seeding_of,
)

EACH = pytest.mark.parametrize("name", sorted(REGISTRY))


def seeds(name: Any, X: Any, k: int, weight: Any = None, seed: int = 0) -> np.ndarray:
    return seeding_of(name).centers(X, weight, k, np.random.default_rng(seed))


@EACH
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_seeds_are_distinct_rows_of_positive_weight(name: str, dtype: type, rng: np.random.Generator) -> None:
    X = np.repeat(rng.normal(size=(40, 3)), 3, axis=0).astype(dtype)
    weight = np.where(np.arange(120) < 60, 0.0, rng.integers(1, 3, 120)).astype(float)
    found = seeds(name, X, 20, weight)
    assert found.shape == (20, 3)
    assert found.dtype == np.float64
    rows = {tuple(row) for row in found.tolist()}
    assert len(rows) == 20, "no point is a seed twice, copies or not"
    assert rows <= {tuple(row) for row in X[60:].astype(float).tolist()}
    np.testing.assert_array_equal(seeds(name, sp.csr_array(X), 20, weight), found)


@EACH
def test_more_clusters_than_points_are_refused_with_their_number(name: str) -> None:
    X = np.tile([[0.0], [1.0], [5.0], [7.0]], (25, 1))
    weight = (X[:, 0] != 7.0).astype(float)
    with pytest.raises(ValueError, match="n_clusters=4 is more than the 3 distinct rows of positive weight"):
        seeds(name, X, 4, weight)
    assert sorted(seeds(name, X, 3, weight).ravel()) == [0.0, 1.0, 5.0]


@EACH
def test_a_weight_is_a_repetition(name: str, rng: np.random.Generator) -> None:
    if name == "k-means||":
        pytest.skip("draws once for each row, so that only the law is that of copies")
    X, s = rng.normal(size=(50, 2)), rng.integers(0, 4, 50)
    for seed in range(5):
        one = seeds(name, X, 6, s.astype(float), seed)
        other = seeds(name, np.repeat(X, s, axis=0), 6, None, seed)
        np.testing.assert_array_equal(one, other)


def test_chances_of_the_second_seed_are_those_of_the_definition() -> None:
    X, weight = np.array([[0.0], [1.0], [3.0], [9.0]]), np.array([1.0, 2.0, 1.0, 0.5])
    share = np.zeros((4, 4))
    for i, j in itertools.permutations(range(4), 2):
        mass = weight * (X[:, 0] - X[i, 0]) ** 2
        share[i, j] = weight[i] / weight.sum() * mass[j] / mass.sum()
    drawn, rng, n = np.zeros((4, 4)), np.random.default_rng(3), 4000
    for _ in range(n):
        i, j = np.searchsorted(X[:, 0], KMeansPlusPlus(1).centers(X, weight, 2, rng)[:, 0])
        drawn[i, j] += 1
    # Five standard deviations of each count.
    assert np.all(np.abs(drawn / n - share) <= 5.0 * np.sqrt(share * (1.0 - share) / n) + 1e-12)


def test_the_candidate_that_leaves_least_is_taken(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2))
    found = KMeansPlusPlus(500).centers(X, None, 2, np.random.default_rng(1))
    # Among 500 draws of 30 rows all that have a fair chance are candidates.
    best = min(
        np.minimum(((X - found[0]) ** 2).sum(1), ((X - row) ** 2).sum(1)).sum()
        for row in X[((X - found[0]) ** 2).sum(1) > 0.5]
    )
    here = np.minimum(((X - found[0]) ** 2).sum(1), ((X - found[1]) ** 2).sum(1)).sum()
    assert here == pytest.approx(best)


def test_farthest_first_is_within_twice_the_smallest_radius(rng: np.random.Generator) -> None:
    X = rng.normal(size=(12, 2))
    gaps = np.sqrt(((X[:, None] - X) ** 2).sum(2))
    # Centres among the rows: the smallest radius of K of them is at most twice that of any centres.
    best = min(gaps[list(some)].min(axis=0).max() for some in itertools.combinations(range(12), 3))
    found = seeds("farthest-first", X, 3)
    assert np.sqrt(((X[:, None] - found) ** 2).sum(2)).min(1).max() <= 2.0 * best + 1e-12


def test_the_factor_is_claimed_for_one_candidate_alone() -> None:
    assert KMeansPlusPlus(1).factor(5) == pytest.approx(8.0 * (math.log(5) + 2.0))
    assert all(seeding_of(name).factor(5) is None for name in REGISTRY)


def test_k_means_parallel_draws_the_same_from_any_blocks(rng: np.random.Generator) -> None:
    from empirisk.data import BlockList

    X = rng.normal(size=(301, 3))
    weight = rng.integers(0, 3, 301).astype(float)
    blocks = BlockList.cut(X, np.zeros(301), weight, rows=37)
    one = KMeansParallel().from_blocks(blocks, 7, np.random.default_rng(5))
    np.testing.assert_array_equal(one, seeds("k-means||", X, 7, weight, 5))


def test_random_rows_are_drawn_by_weight() -> None:
    X, weight = np.arange(3.0)[:, None], np.array([1.0, 2.0, 5.0])
    rng, n = np.random.default_rng(0), 3000
    first = np.bincount([int(RandomRows().centers(X, weight, 1, rng)[0, 0]) for _ in range(n)])
    share = weight / 8.0
    assert np.all(np.abs(first / n - share) <= 5.0 * np.sqrt(share * (1.0 - share) / n))


def test_what_is_no_seeding_is_refused() -> None:
    with pytest.raises(ValueError, match="init must be one of 'farthest-first', 'k-means\\+\\+'"):
        seeding_of("kmeans++")
    with pytest.raises(ValueError, match=r"init has shape \(1, 1\), and n_clusters rows and columns are"):
        seeds(np.ones((1, 1)), np.ones((4, 2)), 2)
    with pytest.raises(ValueError, match="init holds NaN or infinity in row 1"):
        seeds([[0.0], [np.nan]], np.ones((4, 1)), 2)
    with pytest.raises(ValueError, match="or an array of centres"):
        seeds(object(), np.ones((4, 1)), 2)
    with pytest.raises(ValueError, match="n_candidates must be at least 1"):
        seeds(KMeansPlusPlus(0), np.ones((4, 1)), 2)
