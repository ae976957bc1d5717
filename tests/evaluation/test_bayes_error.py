"""The bracket of the Bayes error: its formula, its interval by simulation, what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import empirisk as er
from empirisk.evaluation.bayes_error import independent_rows


def test_bracket_is_that_of_the_leave_one_out_error(rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 3))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=200), [-0.4, 0.4])
    found = er.bayes_error_bracket(X, y)
    squares = ((X[:, None] - X[None]) ** 2).sum(-1) + np.diag(np.full(200, np.inf))
    rate = (y != y[squares.argmin(axis=1)]).mean()
    assert found.error.value == rate
    assert (found.n_classes, found.high) == (3, min(rate, 2.0 / 3.0))
    assert found.low == pytest.approx(2.0 / 3.0 * (1.0 - np.sqrt(1.0 - 1.5 * rate)))
    assert found.interval[0] <= found.low <= found.high <= found.interval[1]
    assert f"{found.error}" in found.sentence


def test_pairs_that_err_together_are_counted_by_hand(rng: np.random.Generator) -> None:
    nearest = np.array([1, 0, 1, 4, 3, 3])
    wrong = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
    d = wrong - wrong.mean()
    sets = [{i, int(j)} for i, j in enumerate(nearest)]
    # Pairs of rows of which one is the other's neighbour, or which share one.
    total = sum(
        d[i] * d[j]
        for i in range(6)
        for j in range(6)
        if i == j or i == nearest[j] or j == nearest[i] or nearest[i] == nearest[j]
    )
    assert all(sets)
    assert independent_rows(wrong, nearest) == pytest.approx(
        np.clip(6.0 * float(d @ d) / max(total, float(d @ d)), 0.6, 6.0)
    )


def test_few_rows_and_one_class(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    few = er.bayes_error_bracket(X, np.arange(20) % 2)
    assert np.isnan(few.low)
    assert "20 rows" in few.sentence
    with pytest.raises(ValueError, match="one class only"):
        er.bayes_error_bracket(X, np.zeros(20))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "shift"), [(100, 0.0), (200, 0.5), (400, 1.0)])
def test_interval_covers_the_expected_error(n: int, shift: float) -> None:
    rng, draws = np.random.default_rng(7), []
    for _ in range(300):
        y = rng.integers(0, 2, n)
        draws.append(er.bayes_error_bracket(rng.normal(size=(n, 2)) + shift * y[:, None], y))
    truth = np.mean([found.error.value for found in draws])
    covered = np.mean([found.error.low <= truth <= found.error.high for found in draws])  # type: ignore[operator]
    assert covered >= 0.95 - 3.0 * np.sqrt(0.95 * 0.05 / 300)
    best = norm.cdf(-shift / np.sqrt(2.0))
    assert np.mean([found.interval[0] <= best <= found.interval[1] for found in draws]) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize(("p", "above"), [(1, 0.015), (2, 0.09), (5, 0.68), (10, 0.97)])
def test_the_upper_end_holds_and_the_lower_end_fails_in_many_columns(p: int, above: float) -> None:
    """The shares that the docstring names, up to three standard errors of 200 samples."""
    low = high = 0
    for seed in range(200):
        rng = np.random.default_rng([seed, p])
        X = rng.normal(size=(200, p))
        y = (X[:, 0] > 0.0) ^ (rng.random(200) < 0.1)
        ends = er.bayes_error_bracket(X, y).interval
        low, high = low + (ends[0] > 0.1), high + (ends[1] < 0.1)
    assert high == 0
    assert abs(low / 200 - above) <= 3.0 * np.sqrt(2.0 * above * (1.0 - above) / 200)
