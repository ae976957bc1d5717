"""The rule that chooses a tree: what it asks, and that a choice changes no answer."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from empirisk.neighbors import Index, metric_of
from empirisk.neighbors.tree_pilot import share_seen
from empirisk.neighbors.tree_rule import QUERIES, most_columns, tree_pays


def branching(index: Index) -> bool:
    """Whether a tree with branches has been built."""
    return any(not whole for _, whole in index._trees)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0, np.inf])
def test_more_columns_more_neighbours_or_fewer_queries_never_call_for_a_tree(power: float) -> None:
    def grid(n: int, p: int, k: int, q: int) -> bool:
        return tree_pays(n, p, k, q, power)

    for n in (10, 300, 3_000, 40_000):
        for p in (1, 4, 9, 14, 31):
            for k in (1, 30, 3_000):
                for q in (1, 40, 1_000):
                    assert grid(n, p, k, q) >= max(
                        grid(n, p + 1, k, q), grid(n, p, k + 9, q), grid(n, p, k, q - 1)
                    )


def test_the_rows_that_were_measured() -> None:
    # The sooner of the two by a factor of 1.3 at least, k = 5, queries for all rows.
    sooner = [
        (2_000, 8, 2.0), (2_000, 16, 2.0), (20_000, 8, 2.0), (20_000, 3, 1.0), (20_000, 8, 1.0),
        (20_000, 8, np.inf), (20_000, 12, np.inf),
    ]  # fmt: skip
    assert all(tree_pays(n, p, 5, n, power) for n, p, power in sooner)
    later = [(20_000, 16, 2.0), (100_000, 20, 2.0), (20_000, 12, 1.0), (2_000, 12, 1.0), (20_000, 30, np.inf)]
    assert not any(tree_pays(n, p, 5, n, power) for n, p, power in later)
    assert most_columns(10**9, 2.0) == 12
    assert most_columns(1, 1.0) == 0.0


def test_queries_are_counted_over_searches(rng: np.random.Generator) -> None:
    X = rng.normal(size=(5_000, 3))
    index, brute = Index(X, metric_of("euclidean")), Index(X, metric_of("euclidean"), "brute")
    for i in range(QUERIES):
        found = index.nearest(X[i : i + 1] + 0.1, 4)
        assert branching(index) == (i + 1 == QUERIES)
        np.testing.assert_array_equal(found[1], brute.nearest(X[i : i + 1] + 0.1, 4)[1])
    assert not branching(brute)
    again = pickle.loads(pickle.dumps(index))
    again.nearest(X[:1], 4)
    assert not branching(again)


def test_a_word_overrules_the_rule(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 40))
    index = Index(X, metric_of("manhattan"), "kd_tree")
    index.nearest(X[:1], 59)
    assert branching(index)
    index = Index(X, metric_of("manhattan"), "auto")
    index.nearest(X, 59)
    assert not branching(index)


def test_rows_near_few_dimensions_call_for_a_tree_in_many_columns(rng: np.random.Generator) -> None:
    flat = rng.normal(size=(10_000, 3)) @ rng.normal(size=(3, 50))
    for X, wanted in ((flat, True), (rng.normal(size=(10_000, 50)), False)):
        index = Index(X, metric_of("euclidean"))
        found = index.nearest(X[:900], 4)
        assert not branching(index)  # 450 million cells
        index.nearest(X[:900], 4)
        assert branching(index) == wanted
        np.testing.assert_array_equal(index.nearest(X[:900], 4)[1], found[1])


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0, np.inf])
def test_the_share_is_that_of_boxes_that_matter(power: float, rng: np.random.Generator) -> None:
    X = rng.normal(size=(32, 3)) + np.repeat([0.0, 100.0], 16)[:, None]
    assert share_seen(X, 5, power) == 0.5  # two boxes of 16, each its own neighbours
    assert share_seen(X, 16, power) == 1.0
    assert share_seen(X[:16], 1, power) == 1.0
    assert share_seen(np.ones((50, 2)), 1, power) == 1.0  # every box is at a distance of 0
    wide = rng.normal(size=(3_000, 9))
    for scale in (2.0**-1000, 2.0**1000):
        assert share_seen(wide * scale, 5, power) == pytest.approx(share_seen(wide, 5, power), abs=0.01)
