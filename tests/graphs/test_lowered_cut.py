"""Cuts that split points and single moves lower: against all moves and all split points, by definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.graphs.lowered_cut import best_gain, lowered

G = er.graphs


def weights(rng: np.random.Generator, kind: str) -> Any:
    """Return a random graph of 24 vertices, with self-loops, as an array or CSR."""
    W = rng.uniform(size=(24, 24)) * (rng.uniform(size=(24, 24)) < 0.3)
    W = W + W.T
    return G.adjacency(sp.csr_array(W) if kind == "sparse" else W)


def cut(W: Any, labels: np.ndarray, size: np.ndarray | None) -> float:
    """Return the normalised cut, or the ratio cut with given sizes."""
    return G.normalized_cut(W, labels) if size is None else G.ratio_cut(W, labels, size)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_no_move_of_one_vertex_lowers_the_cut(
    k: int, normalised: bool, kind: str, rng: np.random.Generator
) -> None:
    for _ in range(5):
        W = weights(rng, kind)
        size = None if normalised else rng.integers(1, 4, 24).astype(float)
        given = np.r_[np.arange(k), rng.integers(0, k, 24 - k)]
        used = G.degrees(W) if size is None else size
        found = lowered(W, used, given, rng.normal(size=(24, k)))
        assert set(found) == set(range(k))
        before, after = cut(W, given, size), cut(W, found, size)
        assert after <= before
        assert best_gain(W, used, found) == 0.0
        best = 0.0
        for i in range(24):
            for b in range(k):
                moved = given.copy()
                moved[i] = b
                if len(set(moved)) == k:
                    best = max(best, before - cut(W, moved, size))
                moved = found.copy()
                moved[i] = b
                if len(set(moved)) == k:
                    assert cut(W, moved, size) >= after * (1.0 - 1e-8)
        assert best_gain(W, used, given) == pytest.approx(best / before, abs=1e-9)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_two_parts_are_at_most_the_best_split_of_the_line(kind: str, rng: np.random.Generator) -> None:
    for _ in range(5):
        W, line = weights(rng, kind), rng.normal(size=24)
        found = lowered(W, G.degrees(W), (line > 0.0).astype(int), line[:, None])
        splits = [G.normalized_cut(W, line > at) for at in np.sort(line)[:-1]]
        assert G.normalized_cut(W, found) <= min(splits) * (1.0 + 1e-12)


def test_parts_without_an_edge_between_them_stay() -> None:
    W = G.adjacency(np.kron(np.eye(3), np.ones((4, 4))))
    labels = np.repeat([0, 1, 2], 4)
    np.testing.assert_array_equal(lowered(W, G.degrees(W), labels, np.eye(3)[labels]), labels)
    assert lowered(W, G.degrees(W), 0 * labels, np.eye(3)[labels]).max() == 0
