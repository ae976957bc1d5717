"""Repeated rows and the noise: equal rows speak for themselves, declared repeats for all rows."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from empirisk.diagnosis import Outcome, context
from empirisk.diagnosis.answer import NotRun
from empirisk.diagnosis.decomposition import decompose
from empirisk.diagnosis.noise_ceiling import ceiling, loss_noise, noise_ceiling
from empirisk.diagnosis.replicates import pair_variance, repeats


def test_pairs_are_rows_that_agree_and_one_a_set_where_declared(rng: np.random.Generator) -> None:
    X = np.repeat(np.arange(30.0), 5)[:, None]
    y = rng.normal(size=150)
    for declared, pairs in ((None, 60), ("equal", 30), (X[:, 0] // 1, 30)):
        found = repeats(context(Ridge(), X, y, replicates=declared, random_state=0))
        assert found.pairs.shape == (pairs, 2)
        assert np.unique(found.pairs).size == 2 * pairs
        assert (X[found.pairs[:, 0]] == X[found.pairs[:, 1]]).all()
        assert found.share == (120 / 150 if declared is None else 1.0)
    alone = repeats(context(Ridge(), rng.normal(size=(60, 1)), y[:60], random_state=0))
    assert alone.pairs.shape == (0, 2)


def test_declared_repeats_are_checked(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    with pytest.raises(ValueError, match="replicates must be 'equal'"):
        context(Ridge(), X, y, replicates="rows")
    with pytest.raises(ValueError, match="replicates must hold one value for each of the 60 rows"):
        context(Ridge(), X, y, replicates=np.zeros(3))
    with pytest.raises(NotRun, match="names 0 things that were measured twice"):
        noise_ceiling(context(Ridge(), X, y, replicates="equal", random_state=0))


def test_the_variance_of_repeated_rows_is_no_narrower_than_its_chi_square_interval(
    rng: np.random.Generator,
) -> None:
    X = np.repeat(rng.normal(size=(30, 2)), 2, axis=0)
    y = X[:, 0] ** 3 + rng.normal(size=60)
    within = ((y[::2] - y[1::2]) ** 2).sum() / 2.0
    low, high = pair_variance(y, np.arange(60).reshape(30, 2))
    # chi-square with 30 degrees of freedom, tables
    assert within / high <= 16.790772 * (1.0 + 1e-6)
    assert within / low >= 46.979242 * (1.0 - 1e-6)
    ctx = context(Ridge(), X, y, replicates="equal", random_state=0)
    c = ceiling(ctx)
    assert (c.low, c.high) == (pytest.approx(low), pytest.approx(high))
    assert loss_noise(ctx)[0] == c.low


def test_equal_rows_prove_something_about_themselves_only(rng: np.random.Generator) -> None:
    """Fair coins on one profile of a fifth of the rows, no noise elsewhere: the Bayes error is a tenth."""
    X = rng.normal(size=(1000, 3))
    y = (X[:, 0] > 0).astype(int)
    coins = rng.random(1000) < 0.2
    X[coins] = 1.0
    y[coins] = rng.integers(0, 2, coins.sum())
    ctx = context(LogisticRegression(), X, y, random_state=0)
    c = ceiling(ctx)
    assert c.high is None
    assert 0.0 < c.low <= 0.5 * coins.mean() <= c.upper
    low, high, _ = loss_noise(ctx)
    assert 0.0 < low <= high
    assert "prove nothing about the rest" in noise_ceiling(ctx).evidence


def test_copies_do_not_raise_the_lower_end(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    c = ceiling(context(LogisticRegression(), np.vstack([X, X]), np.r_[y, y], random_state=0))
    assert c.low == 0.0


def test_limits_that_exclude_each_other_are_given_up(rng: np.random.Generator) -> None:
    """Rows that are told apart by a hidden copy out of fold: the model knows what no row may know."""
    X = np.repeat(rng.normal(size=(60, 1)), 2, axis=0)
    y = np.tile([0.0, 2.0], 60)
    ctx = context(Ridge(), X, y, random_state=0)
    knowing = dataclasses.replace(
        ctx, oof=dataclasses.replace(ctx.oof, pred=y + 0.01 * rng.normal(size=120)), cache={}
    )
    answer = noise_ceiling(knowing)
    assert answer.outcome is Outcome.CANNOT_TELL
    assert "depend on each other" in answer.sentence
    assert decompose(knowing)["noise"].status == "not identifiable"
