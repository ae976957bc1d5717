"""Optimal trees against the enumeration of all trees."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from empirisk.trees.optimal import optimal_tree
from empirisk.typing import Array


def cost(y: Array, w: Array, k: int) -> float:
    """Weight of the errors of the majority, or the sum of squares about the mean."""
    if k:
        return float(w.sum() - np.bincount(y.astype(int), w, k).max())
    return float(w @ (y - np.average(y, weights=w)) ** 2)


def enumerated(X: Array, y: Array, w: Array, depth: int, k: int, penalty: float) -> float:
    """The least cost of all trees of this depth, one by one."""
    best = cost(y, w, k) + penalty
    if depth == 0:
        return best
    for x in X.T:
        for t in np.unique(x)[:-1]:
            s = x <= t
            sides = (enumerated(X[r], y[r], w[r], depth - 1, k, penalty) for r in (s, ~s))
            best = min(best, sum(sides))
    return best


@pytest.mark.parametrize("k", [0, 2, 3])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_least_of_all_trees(k: int, depth: int, rng: np.random.Generator) -> None:
    for _ in range(12):
        n, p = (int(rng.integers(4, 15)), 3) if depth < 3 else (int(rng.integers(4, 9)), 2)
        # Rounded numbers tie; weights are counts or not.
        X = np.round(rng.standard_normal((n, p)), int(rng.integers(0, 2)))
        y = rng.integers(0, k, n).astype(float) if k else rng.standard_normal(n)
        w = rng.integers(1, 4, n).astype(float) if rng.random() < 0.5 else 0.1 + rng.random(n)
        penalty = float(rng.choice([0.0, 0.3, 1.0]))
        found = optimal_tree(X, y, w, depth, n_classes=k, leaf_penalty=penalty)
        assert found.cost == pytest.approx(enumerated(X, y, w, depth, k, penalty), abs=1e-9)
        assert found.bound == pytest.approx(found.cost, abs=1e-9)
        assert found.tree.depth[0] <= depth
        # The tree is worth what the search says.
        value = found.tree.predict(X)
        lost = w @ (value.argmax(axis=1) != y) if k else w @ (y - value[:, 0]) ** 2
        assert lost + penalty * found.tree.n_leaves[0] == pytest.approx(found.cost, abs=1e-9)


def test_exclusive_or_needs_depth_two(rng: np.random.Generator) -> None:
    X = rng.standard_normal((400, 4))
    y = ((X[:, 1] > 0.3) != (X[:, 3] > -0.2)).astype(float)
    found = optimal_tree(X, y, np.ones(400), 2, n_classes=2)
    assert found.cost == found.bound == 0.0
    assert set(found.tree.feature[found.tree.feature >= 0]) == {1, 3}


def test_iris_of_depth_three_misses_one_row() -> None:
    # scikit-learn's greedy tree of depth 3 misses four.
    X, y = load_iris(return_X_y=True)
    assert optimal_tree(X, y.astype(float), np.ones(150), 3, n_classes=3).cost <= 3.0
    two = optimal_tree(X, y.astype(float), np.ones(150), 2, n_classes=3)
    assert two.cost == two.bound == 6.0


def test_stopped_search_bounds_the_optimum() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    at_once = optimal_tree(X, y.astype(float), np.ones(len(y)), 3, n_classes=2, seconds=0.0)
    longer = optimal_tree(X, y.astype(float), np.ones(len(y)), 2, n_classes=2)
    assert at_once.bound <= longer.cost == longer.bound
    assert at_once.bound <= at_once.cost


def test_binned_cuts_are_said_and_cost_more(rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((300, 3)), rng.standard_normal(300)
    full = optimal_tree(X, y, np.ones(300), 2)
    few = optimal_tree(X, y, np.ones(300), 2, max_cuts=8)
    assert few.binned
    assert not full.binned
    assert few.cost >= full.cost
    value = few.tree.predict(X)[:, 0]
    assert np.sum((y - value) ** 2) == pytest.approx(few.cost)
