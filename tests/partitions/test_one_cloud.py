"""The null of one cloud: values, shares, correlations and skewness of the rows, and no second hump."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, rankdata

import empirisk as er
from empirisk.partitions.margins import level_blocks, lumpy
from empirisk.partitions.nulls import OneCloudNull, principal_axes
from empirisk.partitions.rows import read_rows
from tests.partitions.lean import LeanKMeans


def drawn_like(X: Any, seed: int = 0, weight: Any = None) -> Any:
    return OneCloudNull().draw(principal_axes(read_rows(X, weight)), np.random.default_rng(seed))


def test_correlations_of_scores_are_kept_and_more_columns_than_rows_are_drawn() -> None:
    rng = np.random.default_rng(1)
    X = np.exp(rng.normal(size=(3000, 3)) @ np.array([[1.0, 0.8, 0.0], [0.0, 0.6, 0.5], [0.0, 0.0, 0.7]]))
    one, other = (
        np.corrcoef(norm.ppf(np.apply_along_axis(rankdata, 0, Y) / (len(Y) + 1.0)).T)
        for Y in (X, drawn_like(X))
    )
    np.testing.assert_allclose(one, other, atol=0.06)
    wide = rng.normal(size=(15, 300))
    drawn = drawn_like(wide)
    assert np.isfinite(drawn).all()
    np.testing.assert_allclose(drawn.std(axis=0), wide.std(axis=0), rtol=1e-9)


def test_levels_are_drawn_whole_and_truth_values_stay_in_pairs() -> None:
    rng = np.random.default_rng(2)
    level = np.eye(3)[rng.choice(3, 2000, p=[0.6, 0.3, 0.1])]
    truth = rng.random(2000) < 0.3
    X = np.column_stack([truth, truth ^ (rng.random(2000) < 0.1), level])
    assert [len(b) for b in level_blocks(X)] == [1, 1, 3]
    drawn = drawn_like(X)
    assert (drawn[:, 2:].sum(axis=1) == 1.0).all()
    assert set(np.unique(drawn)) == {0.0, 1.0}
    np.testing.assert_allclose(drawn.mean(axis=0), X.mean(axis=0), atol=4.0 * np.sqrt(0.25 / 2000))
    # Both are true in 0.3 times 0.9 of the rows; cutting without a correction would leave far fewer.
    assert (drawn[:, 0] * drawn[:, 1]).mean() == pytest.approx(0.27, abs=0.04)


def test_repetitions_have_the_shares_of_their_weights() -> None:
    X = np.repeat(np.column_stack([np.arange(4.0), np.arange(4.0)[::-1] ** 2]), 500, axis=0)
    weight = np.repeat([1.0, 2.0, 3.0, 4.0], 500)
    shares = np.bincount(drawn_like(X, weight=weight)[:, 0].astype(int), minlength=4) / 2000
    np.testing.assert_allclose(shares, [0.1, 0.2, 0.3, 0.4], atol=0.05)


def test_two_humps_of_a_column_become_one() -> None:
    """Groups in a column of many values are what is looked for: the cloud must not repeat them."""
    rng = np.random.default_rng(0)
    x = np.r_[rng.normal(-4.0, 1.0, 400), rng.normal(4.0, 1.0, 400)]
    drawn = drawn_like(np.column_stack([x, rng.normal(size=800)]))[:, 0]
    middle, beside = np.abs(drawn) < 1.0, np.abs(np.abs(drawn) - 4.0) < 1.0
    # One normal column of this spread has 1.1 times as many rows about 0 as about -4 and 4 together.
    assert middle.sum() > 0.7 * beside.sum()


def test_numbers_in_lumps_are_told_from_others() -> None:
    rng = np.random.default_rng(0)
    assert not lumpy(rng.normal(size=100), np.ones(100))
    assert not lumpy(rng.normal(size=11), np.ones(11))  # a handful of different numbers
    assert lumpy(rng.integers(0, 5, 100).astype(float), np.ones(100))


@pytest.mark.parametrize(
    ("what", "make"),
    [
        ("levels", lambda rng: np.column_stack([rng.random(100) < 0.5, np.eye(3)[rng.integers(0, 3, 100)]])),
        ("lognormal", lambda rng: np.exp(0.7 * rng.normal(size=(100, 3)))),
        ("counts", lambda rng: rng.poisson(1.0, size=(100, 2))),
        ("triangle", lambda rng: np.sort(rng.uniform(size=(100, 2)), axis=1)),
    ],
)
def test_lumps_skewness_and_corners_are_seldom_clusters(what: str, make: Any) -> None:
    rng = np.random.default_rng([7, *what.encode()])
    claims = sum(
        er.choose_k(
            LeanKMeans(), make(rng).astype(float), range(1, 4), n_draws=19, n_subsamples=5, random_state=k
        ).k
        > 1
        for k in range(8)
    )
    # At a rate of 5 %, more than 3 of 8 has probability 0.04 %; without this null levels are 8 of 8.
    assert claims <= 3
