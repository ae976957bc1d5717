"""Leaves by the compiled loops against a walk of one row at a time, over layouts, categories and sizes."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.trees.structure import Trees
from tests.oracles.random_trees import random_rows, random_trees


def leaf_of(trees: Trees, t: int, x: Any) -> int:
    """Return the leaf of a row by following the definition word for word."""
    at, root = 0, int(trees.start[t])
    while (j := int(trees.feature[root + at])) >= 0:
        v, c = float(x[j]), int(trees.n_categories[j])
        if trees.category_start[root + at] >= 0:
            if 0 <= v < c:
                word = int(trees.category_words[trees.category_start[root + at] + int(v) // 32])
                left = bool(word >> (int(v) % 32) & 1)
            elif v == c:  # a category that training did not have
                child = root + int(trees.left[root + at])
                left = bool(trees.weight[child] >= trees.weight[child + 1])
            else:
                left = bool(trees.missing_left[root + at])
        else:
            left = bool(trees.missing_left[root + at]) if v != v else v <= trees.threshold[root + at]
        at = int(trees.left[root + at]) + (not left)
    return at


SIZES = {"stumps": 2, "small": 31, "full set": 64, "just too large": 65, "large": 300}


# Columns of up to 254 categories, and one for those that training did not have, are read by tables.
@pytest.mark.parametrize("leaves", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("categories", [False, True, 1, 254, 255, 700])
@pytest.mark.parametrize("k", [1, 3])
def test_leaves_and_sums(leaves: int, categories: bool | int, k: int) -> None:
    trees = random_trees(leaves, n_trees=4, n_features=5, k=k, categories=categories, seed=leaves + k)
    X = random_rows(trees, 83, seed=1)
    X[:3, 1] = [1e300, -np.inf, np.inf]  # as far from any category as numbers are
    leaf = np.array([[leaf_of(trees, t, x) for t in range(len(trees))] for x in X])
    assert np.array_equal(trees.apply(X), leaf)
    weight = np.array([1.0, -0.3, 0.0, 2.5])
    for w in (None, weight):
        total = np.zeros((len(X), k))
        for t in range(len(trees)):
            factor = 1.0 if w is None else w[t]
            total += factor * trees.value[trees.start[t] + leaf[:, t]]
        # Products may be fused with the sum: one rounding less.
        size = np.abs(trees.value).max() * len(trees) * 2.5
        assert np.abs(trees.predict(X, w) - total).max() <= 4 * np.finfo(float).eps * size


def test_mixed_sizes() -> None:
    parts = [random_trees(n, n_trees=2, n_features=4, seed=n) for n in (3, 100, 31, 1)]
    trees = Trees.concatenate(parts)
    X = random_rows(trees, 40, seed=3)
    assert np.array_equal(trees.apply(X), np.hstack([p.apply(X) for p in parts]))


@pytest.mark.parametrize("leaves", [31, 200])
def test_layouts(leaves: int) -> None:
    trees = random_trees(leaves, n_trees=3, n_features=6, seed=5)
    X = random_rows(trees, 150, seed=2)
    X32 = X.astype(np.float32)
    wanted, wanted32 = trees.predict(X), trees.predict(X32.astype(np.float64))
    frozen = X.copy()
    frozen.flags.writeable = False
    for same in (
        np.asfortranarray(X),
        frozen,
        np.repeat(X, 2, axis=0)[::2],
        np.flip(np.flip(X, 0).copy(), 0),
    ):
        assert np.array_equal(trees.predict(same), wanted)
    assert np.array_equal(trees.predict(X32), wanted32)
    whole = np.round(np.nan_to_num(X)).astype(np.int64)
    assert np.array_equal(trees.predict(whole), trees.predict(whole.astype(np.float64)))


@pytest.mark.parametrize("leaves", [31, 200])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array])
def test_sparse(leaves: int, kind: Any) -> None:
    trees = random_trees(leaves, n_trees=3, n_features=6, seed=5)
    rng = np.random.default_rng(0)
    X = random_rows(trees, 150, seed=2) * (rng.random((150, 6)) < 0.4)
    assert np.array_equal(trees.predict(kind(X)), trees.predict(X))
    assert np.array_equal(trees.apply(kind(X.astype(np.float32))), trees.apply(X.astype(np.float32)))


def test_decision_path() -> None:
    trees = random_trees(40, n_trees=3, n_features=4, seed=8)
    X = random_rows(trees, 30, seed=4)
    path = trees.decision_path(X)
    leaf = trees.apply(X)
    for i in range(len(X)):
        passed = set(path[[i]].indices.tolist())
        for t, root in enumerate(trees.start[:-1]):
            at, wanted = 0, {0}
            while trees.feature[root + at] >= 0:
                left = trees.goes_left(np.array([root + at]), X[i, [trees.feature[root + at]]])[0]
                at = int(trees.left[root + at]) + (not left)
                wanted.add(at)
            assert at == leaf[i, t]
            assert {n - root for n in passed if root <= n < trees.start[t + 1]} == wanted


def test_columns_of_few_and_of_many_categories_in_one_tree() -> None:
    trees = random_trees(40, n_trees=3, n_features=4, categories=True, seed=11)
    n_categories = np.array([0, 40, 0, 400])
    many = np.flatnonzero(trees.feature == 3)
    rng = np.random.default_rng(0)
    start, words = trees.category_start.copy(), trees.category_words.tolist()
    for node in many:
        start[node] = len(words)
        words += rng.integers(0, 2**32, 13).tolist()
    mixed = replace(
        trees, n_categories=n_categories, category_start=start, category_words=np.array(words, np.uint32)
    )
    X = random_rows(mixed, 70, seed=5)
    leaf = np.array([[leaf_of(mixed, t, x) for t in range(len(mixed))] for x in X])
    assert np.array_equal(mixed.apply(X), leaf)


def test_no_rows_and_one_row() -> None:
    trees = random_trees(31, n_trees=3, n_features=4, seed=9)
    assert trees.predict(np.zeros((0, 4))).shape == (0, 1)
    assert trees.apply(np.zeros((0, 4))).shape == (0, 3)
    X = random_rows(trees, 9, seed=1)
    for i in range(9):
        assert np.array_equal(trees.predict(X[[i]]), trees.predict(X)[[i]])


def test_wrong_columns_are_refused() -> None:
    trees = random_trees(8, n_trees=1, n_features=4, seed=9)
    for bad in (np.zeros((3, 5)), np.zeros(4)):
        with pytest.raises(ValueError, match="4 columns"):
            trees.predict(bad)


def test_arrays_that_are_no_trees_are_refused() -> None:
    good = Trees.stump(feature=0, threshold=0.0, values=[[0.0], [1.0]], n_features=2)
    changes = {
        "does not exist": {"feature": np.array([7, -1, -1], dtype=np.int32)},
        "two new nodes": {"left": np.array([0, -1, -1], dtype=np.int32)},
        "NaN": {"threshold": np.array([np.nan, 0.0, 0.0])},
        "category set": {"category_start": np.array([0, -1, -1])},
        "delimit": {"start": np.array([0, 2])},
    }
    for message, change in changes.items():
        bad = Trees(**{**good.__getstate__(), **change})
        with pytest.raises(ValueError, match=message):
            bad.predict(np.zeros((1, 2)))


def test_pickles_hold_no_loop() -> None:
    trees = random_trees(31, n_trees=3, n_features=4, seed=9)
    size = len(pickle.dumps(trees))
    X = random_rows(trees, 20, seed=0)
    before = trees.predict(X)
    assert len(pickle.dumps(trees)) == size
    assert np.array_equal(pickle.loads(pickle.dumps(trees)).predict(X), before)


SCRIPT = """
import hashlib
import numpy as np
from tests.oracles.random_trees import random_rows, random_trees
h = hashlib.sha256()
for leaves in (31, 400):
    trees = random_trees(leaves, n_trees=20, n_features=5, seed=1)
    h.update(trees.predict(random_rows(trees, 20000, seed=2)).tobytes())
print(h.hexdigest())
"""


@pytest.mark.full  # many rows
def test_same_bits_for_any_number_of_threads() -> None:
    seen = set()
    for threads in ("1", "3"):
        env = {**os.environ, "OMP_NUM_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=env,
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(done.stdout)
    assert len(seen) == 1
