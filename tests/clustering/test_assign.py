"""Nearest centres and sums of clusters, against all differences in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from empirisk.clustering import assign
from empirisk.clustering.assign import cluster_sums

SHAPES = [(1, 1, 1), (3, 2, 7), (65, 5, 3), (300, 17, 40), (130, 70, 100), (2500, 3, 9)]


def wide(X: np.ndarray) -> sp.csr_array:
    """CSR with 64-bit indices and explicit zeros."""
    n, p = X.shape
    return sp.csr_array((X.ravel(), np.tile(np.arange(p), n), p * np.arange(n + 1)), shape=X.shape)


LAYOUTS: dict[str, Any] = {
    "c": lambda X: X,
    "f": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "csr32": sp.csr_array,
    "csr64": wide,
}


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_nearest_centres(
    shape: tuple[int, int, int], dtype: Any, layout: str, rng: np.random.Generator
) -> None:
    n, p, k = shape
    # Halves of small whole numbers: products and sums are exact in either format, ties included.
    X = rng.integers(-6, 7, size=(n, p)).astype(dtype) / 2
    centers = rng.integers(-6, 7, size=(k, p)) / 2.0
    square = ((X[:, None].astype(float) - centers) ** 2).sum(axis=2)
    labels, squares = assign(LAYOUTS[layout](X), centers)
    # The mean of the centres is no half: a tie may be broken by rounding, a difference of 1/4 is not.
    np.testing.assert_allclose(squares, square.min(axis=1), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(square[np.arange(n), labels], square.min(axis=1), rtol=1e-12)


def test_of_equal_centres_the_first_is_taken(rng: np.random.Generator) -> None:
    centers = np.repeat(rng.normal(size=(9, 4)), 5, axis=0)[rng.permutation(45)]
    labels, _ = assign(rng.normal(size=(200, 4)), centers)
    first = [int(np.flatnonzero((centers == c).all(axis=1))[0]) for c in centers]
    assert all(first[label] == label for label in labels)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_far_from_the_origin(dtype: Any, rng: np.random.Generator) -> None:
    far = 1e3 if dtype is np.float32 else 1e9
    X = (rng.normal(size=(500, 6)) + far).astype(dtype)
    centers = rng.normal(size=(30, 6)) + far
    square = ((X[:, None].astype(float) - centers) ** 2).sum(axis=2)
    labels, squares = assign(X, centers)
    np.testing.assert_allclose(squares, square[np.arange(500), labels], rtol=1e-12)
    assert np.all(squares <= square.min(axis=1) * (1.0 + 1e-2))


def test_same_bits_for_any_number_of_threads(rng: np.random.Generator) -> None:
    X, centers = rng.normal(size=(20_000, 24)), rng.normal(size=(40, 24))
    label, squares = assign(X, centers)
    sums = cluster_sums(X, None, label.astype(np.int32), None, 40)
    with threadpool_limits(1):
        again, same = assign(X, centers)
        alone = cluster_sums(X, None, label.astype(np.int32), None, 40)
    np.testing.assert_array_equal(again, label)
    np.testing.assert_array_equal(same, squares)
    for a, b in zip(sums, alone, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_clusters(layout: str, weighted: bool, rng: np.random.Generator) -> None:
    X, label = rng.normal(size=(500, 21)), rng.integers(-1, 6, 500).astype(np.int32)
    weight = rng.integers(0, 3, 500).astype(float) if weighted else None
    s = np.ones(500) if weight is None else weight
    shift = None if layout.startswith("csr") else rng.normal(size=21)
    total, mass = cluster_sums(LAYOUTS[layout](X), weight, label, shift, 6)
    for k in range(6):
        at = label == k
        np.testing.assert_allclose(total[k], s[at] @ (X[at] - (0.0 if shift is None else shift)), atol=1e-12)
        assert mass[k] == s[at].sum()


def test_centres_of_another_shape_are_refused() -> None:
    for bad in (np.ones((2, 3)), np.ones((0, 2)), np.ones(2)):
        with pytest.raises(ValueError, match=r"centers must have shape \(K, 2\) with K >= 1"):
            assign(np.ones((4, 2)), bad)
