"""Counted centres against means of all that they were given, and the rule by which batches end."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.clustering.mini_batches import CountedCenters, Plateau


def twin(centers: np.ndarray, counts: np.ndarray, X: np.ndarray, s: np.ndarray) -> None:
    """Take rows one after the other, by the labels that they have at the start of the batch."""
    label = ((X[:, None, :] - centers) ** 2).sum(axis=2).argmin(axis=1)
    for x, w, k in zip(X, s, label, strict=True):
        if w > 0.0:
            counts[k] += w
            centers[k] += w / counts[k] * (x - centers[k])


def test_batches_are_rows_one_after_the_other(rng: np.random.Generator) -> None:
    centers = 3.0 * rng.normal(size=(4, 3))
    held = CountedCenters(centers.copy(), np.zeros(4))
    right, counts = centers.copy(), np.zeros(4)
    for size in (30, 1, 7, 50):
        X, s = 3.0 * rng.normal(size=(size, 3)), rng.integers(0, 3, size).astype(float)
        square = held.take(X, s)
        direct = ((X[:, None, :] - right) ** 2).sum(axis=2).min(axis=1)
        np.testing.assert_allclose(square, direct, rtol=1e-12)
        twin(right, counts, X, s)
        np.testing.assert_allclose(held.centers, right, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(held.counts, counts, rtol=1e-14)


def test_a_centre_is_the_weighted_mean_of_all_its_rows(rng: np.random.Generator) -> None:
    held = CountedCenters(np.array([[0.0], [100.0]]), np.zeros(2))
    rows, weights = rng.normal(size=(60, 1)), rng.exponential(size=60)
    for begin in range(0, 60, 13):
        held.take(rows[begin : begin + 13], weights[begin : begin + 13])
    assert held.centers[0, 0] == pytest.approx(np.average(rows[:, 0], weights=weights), rel=1e-12)
    assert held.centers[1, 0] == 100.0, "a centre without rows stays"


def test_a_light_batch_has_little_say() -> None:
    held = CountedCenters(np.array([[0.0]]), np.zeros(1))
    held.take(np.array([[1.0], [3.0]]), np.array([50.0, 50.0]))
    held.take(np.array([[12.0]]), np.array([1.0]))
    assert held.centers[0, 0] == pytest.approx((100.0 * 2.0 + 12.0) / 101.0)


def test_starved_centres_go_to_rows_that_are_far(rng: np.random.Generator) -> None:
    X = np.array([[0.0], [0.1], [9.0]])
    found = []
    for _ in range(200):
        held = CountedCenters(np.array([[0.0], [-500.0], [0.5]]), np.array([90.0, 0.1, 40.0]))
        square = np.array([0.0, 0.01, 72.0])
        assert held.replace(X, np.ones(3), square, 0.01, rng) == 1
        assert held.counts.tolist() == [90.0, 40.0, 40.0]
        found.append(held.centers[1, 0])
    assert np.mean(np.array(found) == 9.0) > 0.95
    assert held.replace(X, np.ones(3), square, 0.0, rng) == 0
    # Rows on their centres and rows without weight are never drawn.
    held = CountedCenters(np.array([[0.0], [-500.0]]), np.array([90.0, 0.1]))
    assert held.replace(X, np.array([1.0, 1.0, 0.0]), np.array([0.0, 0.0, 81.0]), 0.5, rng) == 0


def test_a_plateau_is_a_number_of_batches_without_a_new_low() -> None:
    plateau = Plateau(0.5, 3)
    values = [8.0, 4.0, 4.0, 4.0, 9.0, 9.0, 9.0]
    # Smoothed: 8, 6, 5, 4.5, 6.75, 7.875, 8.4.
    assert [plateau.reached(value) for value in values] == [False] * 6 + [True]
