"""Shapley values of trees against all subsets, sums, symmetry, and other libraries last."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.trees.shapley import _row_by_row, background_shapley, expected_value, path_shapley
from empirisk.trees.structure import Trees
from tests.oracles.random_trees import random_rows, random_trees
from tests.oracles.shapley_definition import background_game, path_game, shapley_by_subsets

EPS = np.finfo(float).eps


@pytest.mark.parametrize("leaves", [2, 7, 31, 90])
@pytest.mark.parametrize("categories", [False, True])
def test_path_values_are_those_of_all_subsets(leaves: int, categories: bool) -> None:
    trees = random_trees(leaves, n_trees=2, n_features=6, k=2, categories=categories, seed=leaves)
    X = random_rows(trees, 9, seed=1)
    wanted = np.array([shapley_by_subsets(path_game(trees, x), 6) for x in X])
    assert np.abs(path_shapley(trees, X) - wanted).max() <= 64 * EPS * np.abs(trees.value).sum(axis=0).max()


def chain(p: int) -> Trees:
    """A tree whose deepest leaf asks all p columns, one after the other."""
    size = 2 * p + 1
    left = np.full(size, -1, dtype=np.int32)
    feature = np.full(size, -1, dtype=np.int32)
    weight = np.zeros(size)
    at, weight[0] = 0, 100.0
    for j in range(p):
        feature[at], left[at] = j, 2 * j + 1
        weight[2 * j + 1], weight[2 * j + 2] = 0.7 * weight[at], 0.3 * weight[at]
        at = 2 * j + 1
    return Trees(
        start=np.array([0, size]),
        feature=feature,
        threshold=np.zeros(size),
        left=left,
        missing_left=np.ones(size, dtype=bool),
        category_start=np.full(size, -1),
        category_words=np.zeros(0, dtype=np.uint32),
        value=np.random.default_rng(0).normal(size=(size, 1)),
        weight=weight,
        count=np.ones(size, dtype=np.int64),
        gain=np.zeros(size),
        heterogeneity=np.zeros(size),
        n_categories=np.zeros(p, dtype=np.int64),
    )


def test_a_long_path_of_many_columns() -> None:
    # The quadrature needs all its four nodes.
    p = 8
    trees = chain(p)
    X = np.random.default_rng(1).normal(size=(5, p)) - 0.7
    wanted = np.array([shapley_by_subsets(path_game(trees, x), p) for x in X])
    assert np.abs(path_shapley(trees, X) - wanted).max() <= 1e-14


@pytest.mark.parametrize("categories", [False, True])
def test_background_values_are_those_of_all_subsets(categories: bool) -> None:
    trees = random_trees(20, n_trees=3, n_features=5, k=1, categories=categories, seed=3)
    X, background = random_rows(trees, 6, seed=1), random_rows(trees, 7, seed=2)
    wanted = np.array([shapley_by_subsets(background_game(trees, x, background), 5) for x in X])
    assert np.abs(background_shapley(trees, X, background) - wanted).max() <= 1e-14 * 20


def test_background_values_of_paths_with_many_columns() -> None:
    # A chain of 70 columns is longer than a set of 64 bits: the values come by another way.
    deep, short = chain(70), chain(40)
    X = np.random.default_rng(1).normal(size=(12, 70)) - 1.5
    background = np.random.default_rng(2).normal(size=(5, 70)) - 1.5
    for trees, p in ((deep, 70), (short, 40)):
        rows, others = X[:, :p], background[:, :p]
        found = background_shapley(trees, rows, others)
        assert np.abs(found - _row_by_row(trees, rows, others)).max() <= 1e-13
        total = trees.predict(others).mean(axis=0) + found.sum(axis=1)
        assert np.abs(total - trees.predict(rows)).max() <= 1e-13


@pytest.mark.parametrize("leaves", [31, 500])
def test_they_add_up(leaves: int) -> None:
    trees = random_trees(leaves, n_trees=10, n_features=20, k=1, seed=leaves)
    X = random_rows(trees, 130, seed=1)
    scale = np.abs(trees.value).max() * len(trees)
    total = expected_value(trees) + path_shapley(trees, X).sum(axis=1)
    assert np.abs(total - trees.predict(X)).max() <= 1000 * EPS * scale
    background = random_rows(trees, 12, seed=2)
    total = trees.predict(background).mean(axis=0) + background_shapley(trees, X, background).sum(axis=1)
    assert np.abs(total - trees.predict(X)).max() <= 1000 * EPS * scale


def test_expected_value_is_the_weighted_mean_of_the_leaves() -> None:
    trees = random_trees(40, n_trees=3, n_features=4, k=2, seed=1)
    leaf = trees.feature < 0
    # random_trees splits the weight of a node among its children without loss.
    wanted = (trees.weight[leaf, None] * trees.value[leaf]).sum(axis=0) / 1000.0
    assert np.allclose(expected_value(trees), wanted, rtol=1e-12)


def test_columns_that_no_tree_asks_get_nothing() -> None:
    trees = random_trees(31, n_trees=3, n_features=4, seed=2)
    wide = replace(trees, n_categories=np.zeros(9, dtype=np.int64))
    X = random_rows(wide, 40, seed=1)
    found = path_shapley(wide, X)
    assert np.array_equal(found[:, 4:], np.zeros((40, 5, 1)))
    assert np.array_equal(found[:, :4], path_shapley(trees, X[:, :4]))


def test_nodes_without_weight() -> None:
    # A leaf that training never reached, and a subtree without any weight: finite, and still additive.
    trees = random_trees(12, n_trees=1, n_features=4, seed=5)
    weight = trees.weight.copy()
    inner = np.flatnonzero(trees.feature >= 0)
    below = trees.left[inner[1]]
    weight[below] = 0.0
    if trees.left[below] >= 0:
        weight[trees.left[below] : trees.left[below] + 2] = 0.0
    empty = replace(trees, weight=weight)
    X = random_rows(empty, 60, seed=1)
    found = path_shapley(empty, X)
    assert np.isfinite(found).all()
    assert np.allclose(expected_value(empty) + found.sum(axis=1), empty.predict(X), atol=1e-12)


def test_sparse_rows_and_layouts() -> None:
    trees = random_trees(31, n_trees=3, n_features=6, seed=2)
    X = np.nan_to_num(random_rows(trees, 70, seed=1)) * (np.random.default_rng(0).random((70, 6)) < 0.5)
    wanted = path_shapley(trees, X)
    for same in (sp.csr_array(X), sp.csc_array(X), np.asfortranarray(X)):
        assert np.array_equal(path_shapley(trees, same), wanted)
    assert path_shapley(trees, X[:0]).shape == (0, 6, 1)


def test_scikit_learn_trees_by_the_package_shap() -> None:
    shap = pytest.importorskip("shap")
    from sklearn.ensemble import RandomForestRegressor

    from tests.oracles.sklearn_trees import from_sklearn

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    forest = RandomForestRegressor(5, random_state=0).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    found = path_shapley(from_sklearn(forest), X[:20])[:, :, 0] / 5
    wanted = shap.TreeExplainer(forest).shap_values(X[:20])
    # That package reads rows and thresholds in its own precision.
    assert np.abs(found - wanted).max() <= 1e-5
