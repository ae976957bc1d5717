"""The roads of `verify` in plain NumPy, against brute force and against the compiled loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from empirisk.trees.optimal import optimal_tree
from empirisk.trees.plain_edge import plain_largest_edge
from empirisk.trees.plain_optimum import PlainOptimum
from empirisk.trees.plain_walk import plain_leaves
from tests.oracles.random_trees import random_rows, random_trees


@pytest.mark.parametrize("categories", [False, True])
def test_rows_walk_to_the_leaves_of_the_loops(categories: bool) -> None:
    for seed in range(5):
        trees = random_trees(12, n_trees=3, categories=categories, seed=seed)
        X = random_rows(trees, 100, seed=seed)
        np.testing.assert_array_equal(plain_leaves(trees, X), trees.apply(X) + trees.start[:-1])


def edge_by_brute_force(X: np.ndarray, categories: np.ndarray, signed: np.ndarray) -> float:
    """Return the largest edge over all stumps, one after the other."""
    most = abs(signed.sum())
    for x, c in zip(X.T, categories, strict=True):
        gone = np.isnan(x)
        values = np.unique(x[~gone])
        if c:
            sides = [np.isin(x, s) for r in range(c + 1) for s in itertools.combinations(range(c), r)]
        else:
            sides = [x <= v for v in values]
        for side, missing in itertools.product(sides, (False, True)):
            left = np.where(gone, missing, side)
            # Either label on either side.
            most = max(most, abs(signed[left].sum()) + abs(signed[~left].sum()))
    return float(most)


def test_the_largest_edge_is_that_of_all_stumps(rng: np.random.Generator) -> None:
    for _ in range(40):
        n = int(rng.integers(1, 12))
        X = rng.integers(0, 4, size=(n, 3)).astype(float)
        X[rng.random(X.shape) < 0.2] = np.nan
        categories, signed = np.array([0, 4, 0]), rng.normal(size=n)
        expected = edge_by_brute_force(X, categories, signed)
        assert plain_largest_edge(X, categories, signed) == pytest.approx(expected, rel=1e-12)


def least_by_brute_force(search: PlainOptimum, rows: np.ndarray, depth: int) -> float:
    """Return the least cost over every tree of this depth."""
    best = float(search.cost(search.sums[rows].sum(axis=0))) + search.penalty
    if depth == 0:
        return best
    for j in range(search.rank.shape[1]):
        group = search.rank[rows, j]
        for end in np.unique(group)[:-1]:
            sides = (rows[group <= end], rows[group > end])
            best = min(best, sum(least_by_brute_force(search, side, depth - 1) for side in sides))
    return best


@pytest.mark.parametrize("classes", [False, True])
def test_the_bound_on_all_trees(classes: bool, rng: np.random.Generator) -> None:
    for _ in range(25):
        n, depth = int(rng.integers(2, 10)), int(rng.integers(1, 4))
        X, weight = rng.integers(0, 4, size=(n, 2)).astype(float), rng.integers(1, 4, n).astype(float)
        y = rng.integers(0, 3, n).astype(float)
        sums = (
            weight[:, None] * np.eye(3)[y.astype(int)]
            if classes
            else np.stack([weight, weight * y, weight * y**2], axis=1)
        )
        penalty = float(rng.choice([0.0, 0.3]))
        search = PlainOptimum(X.astype(int), sums, classes, penalty, 1e9)
        rows = np.arange(n)
        least = least_by_brute_force(search, rows, depth)
        found = optimal_tree(X, y, weight, depth, n_classes=3 if classes else 0, leaf_penalty=penalty)
        assert found.cost == pytest.approx(least, rel=1e-9, abs=1e-9)
        assert search.least(rows, depth, np.inf if least else 1.0) == pytest.approx(least, rel=1e-9, abs=1e-9)
        assert search.least(rows, depth, 0.5 * least) == pytest.approx(0.5 * least, abs=1e-9)
        for budget in (0.0, 600.0, 3_000.0):
            short = PlainOptimum(X.astype(int), sums, classes, penalty, budget)
            assert short.least(rows, depth, 1e6) <= least * (1.0 + 1e-9) + 1e-9
