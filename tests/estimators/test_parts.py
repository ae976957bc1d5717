"""Rows dealt to parts by the hash of their content."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.data.design import Design
from empirisk.estimators.folds import hold_out
from empirisk.estimators.trees.boosting_parts import deal_parts


def rows(seed: int, n: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[rng.random(size=X.shape) < 0.1] = np.nan
    return X, rng.choice(4, size=n, p=[0.6, 0.3, 0.09, 0.01]).astype(float)


@pytest.mark.parametrize("fraction", [0.0, 0.05, 0.1, 1.0 / 3.0, 0.9])
@pytest.mark.parametrize("stratify", [True, False])
def test_the_share_is_right_to_a_row(fraction: float, stratify: bool) -> None:
    X, y = rows(0)
    held = hold_out(Design(X), y, np.ones(1000), fraction, 0, stratify)
    assert abs(held.sum() - 1000 * fraction) <= 1.0
    if stratify:
        for c in range(4):
            assert abs(held[y == c].sum() - fraction * (y == c).sum()) <= 1.0
            assert not held[y == c].all()


def test_copies_stay_together_and_absent_rows_are_nowhere() -> None:
    X, y = rows(1, 200)
    times = np.random.default_rng(0).integers(0, 4, size=200)
    weighted = hold_out(Design(X), y, times.astype(float), 0.3, 5, True)
    where = np.repeat(np.arange(200), times)
    order = np.random.default_rng(1).permutation(len(where))
    repeated = hold_out(Design(X[where][order]), y[where][order], np.ones(len(where)), 0.3, 5, True)
    np.testing.assert_array_equal(repeated, weighted[where][order])
    assert not weighted[times == 0].any()


def test_the_seed_chooses_the_rows_evenly() -> None:
    X, y = rows(2, 300)
    count = np.sum([hold_out(Design(X), y, np.ones(300), 0.2, s, False) for s in range(400)], axis=0)
    # Binomial(400, 0.2): 8 a standard deviation; the largest of 300 is below 5 of them.
    assert count.std() == pytest.approx(8.0, rel=0.25)
    assert np.abs(count - 80).max() < 40


def test_parts_are_disjoint_and_as_large_as_asked() -> None:
    X, y = rows(3)
    weight = np.ones(1000)
    weight[:100] = 0.0
    parts = deal_parts(X, y, weight, 0.1, 0.25, 0, True)
    together = np.sort(np.concatenate([parts.grow, parts.stop, parts.calibrate]))
    np.testing.assert_array_equal(together, np.arange(100, 1000))
    assert len(parts.calibrate) == pytest.approx(225, abs=1)
    assert len(parts.stop) == pytest.approx(90, abs=1)
    alone = deal_parts(X, y, weight, 0.0, 0.0, 0, True)
    np.testing.assert_array_equal(alone.grow, np.arange(100, 1000))
