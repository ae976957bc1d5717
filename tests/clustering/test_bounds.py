"""Bounds that spare rows the centres: labels after any moves of the centres are those of all comparisons."""

from __future__ import annotations

import numpy as np

from empirisk.clustering.bounds import Bounds


def brute(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """The nearest centre of each row, by all differences."""
    label: np.ndarray = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    return label


def test_labels_that_were_set_by_hand_are_found_again(rng: np.random.Generator) -> None:
    X, centers = rng.normal(size=(400, 3)), rng.normal(size=(90, 3))
    bounds = Bounds.of(X, centers, None, (X**2).sum(axis=1))
    assert len(bounds.order) > 1
    label = np.zeros(len(X), dtype=np.int32)
    bounds.assign(centers, label)
    np.testing.assert_array_equal(label, brute(X, centers))
    rows = np.arange(0, 400, 7)
    label[rows] = (label[rows] + 45) % 90
    bounds.forget(rows)
    ways = 1e-3 * rng.normal(size=centers.shape)
    bounds.walk(ways)
    bounds.assign(centers + ways, label)
    np.testing.assert_array_equal(label, brute(X, centers + ways))
    # What is known of the other rows spares most of them.
    assert bounds.share < 0.9
