"""Random trees of any shape, and rows that meet their thresholds, categories and missing values."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["random_rows", "random_trees"]

LEVELS = np.round(np.linspace(-2.0, 2.0, 9), 2)


def random_trees(
    n_leaves: int,
    n_trees: int = 1,
    n_features: int = 4,
    k: int = 1,
    categories: bool | int = False,
    seed: int = 0,
) -> Trees:
    """Trees with `n_leaves` leaves each; with `categories` every second column has so many, or 40."""
    rng = np.random.default_rng(seed)
    n_categories = np.zeros(n_features, dtype=np.int64)
    if categories:
        n_categories[1::2] = 40 if categories is True else categories
    return Trees.concatenate([_tree(rng, n_leaves, n_categories, k) for _ in range(n_trees)])


def _tree(rng: Any, n_leaves: int, n_categories: Any, k: int) -> Trees:
    size = 2 * n_leaves - 1
    feature, left = np.full(size, -1, dtype=np.int32), np.full(size, -1, dtype=np.int32)
    threshold, weight, category_start = np.zeros(size), np.zeros(size), np.full(size, -1)
    words: list[int] = []
    weight[0] = 1000.0
    leaves = [0]
    for first in range(1, size, 2):
        at = leaves.pop(int(rng.integers(len(leaves))))
        j = int(rng.integers(len(n_categories)))
        feature[at], left[at] = j, first
        if n_categories[j]:
            category_start[at] = len(words)
            words += rng.integers(0, 2**32, (int(n_categories[j]) + 31) // 32).tolist()
        else:
            threshold[at] = rng.choice(LEVELS)
        weight[first] = weight[at] * rng.uniform(0.1, 0.9)
        weight[first + 1] = weight[at] - weight[first]
        leaves += [first, first + 1]
    return Trees(
        start=np.array([0, size]),
        feature=feature,
        threshold=threshold,
        left=left,
        missing_left=rng.random(size) < 0.5,
        category_start=category_start,
        category_words=np.array(words, dtype=np.uint32),
        value=rng.normal(size=(size, k)),
        weight=weight,
        count=np.maximum(weight, 1.0).astype(np.int64),
        gain=np.zeros(size),
        heterogeneity=np.zeros(size),
        n_categories=n_categories,
    )


def random_rows(trees: Trees, n: int, seed: int = 0, missing: float = 0.1) -> Array:
    """Rows whose numbers often equal thresholds; categories beyond the known ones, and missing values."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, trees.n_features)) < 0.5, rng.choice(LEVELS, (n, trees.n_features)), 0.0)
    X += rng.normal(size=X.shape) * (rng.random(X.shape) < 0.5)
    for j in np.flatnonzero(trees.n_categories):
        X[:, j] = rng.integers(-1, trees.n_categories[j] + 2, n)
    return np.where(rng.random(X.shape) < missing, np.nan, X)
