"""Weighted medians and the rounds of AdaBoost.R2 against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from empirisk.trees.median_vote import LOSSES, exceedance_bound, median_round, weighted_median


def test_the_median_is_the_least_value_with_half_of_the_votes_below(rng: np.random.Generator) -> None:
    said = rng.integers(0, 4, (200, 5)).astype(float)
    votes = rng.integers(1, 4, 5).astype(float)
    for row, found in zip(said, weighted_median(said, votes), strict=True):
        fit = [v for v in np.unique(row) if votes[row <= v].sum() >= 0.5 * votes.sum()]
        assert found == min(fit)


def test_half_of_the_votes_is_half_for_any_scale_of_them() -> None:
    # Six votes of 0.1 sum to 0.6 but for rounding; three of them are half.
    said = np.arange(6.0)[None]
    for scale in (0.1, 1.0, 1e-12, 3e200):
        assert weighted_median(said, np.full(6, scale))[0] == 2.0


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_a_round_by_its_formulas(name: str, rate: float, rng: np.random.Generator) -> None:
    error, w = rng.uniform(size=30) ** 3, rng.uniform(size=30)
    w /= w.sum()
    u = error / error.max()
    each = {"linear": u, "square": u**2, "exponential": 1.0 - np.exp(-u)}[name]
    mean = (w * each).sum()
    beta = mean / (1.0 - mean)
    moved = w * beta ** (rate * (1.0 - each))
    found, weight = median_round(error, w, LOSSES[name], rate)
    assert found.loss == pytest.approx(mean)
    assert found.vote == pytest.approx(rate * math.log(1.0 / beta))
    assert found.log_sum == pytest.approx(math.log(moved.sum()))
    np.testing.assert_allclose(weight, moved / moved.sum(), rtol=1e-12)


def test_rounds_without_error_and_without_use() -> None:
    w = np.full(4, 0.25)
    assert median_round(np.zeros(4), w, LOSSES["linear"], 1.0)[0].vote == math.inf
    assert median_round(np.array([1.0, 1.0, 0.0, 0.0]), w, LOSSES["linear"], 1.0)[0].vote == 0.0
    assert exceedance_bound([], 1.0, LOSSES["linear"]) == 1.0


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("rate", [1.0, 0.4, 2.0])
def test_the_bound_holds_for_any_members(name: str, rate: float, rng: np.random.Generator) -> None:
    spoke = 0
    for _ in range(40):
        n, T = 40, int(rng.integers(1, 12))
        y, w = rng.normal(size=n), rng.uniform(0.1, 1.0, n)
        w /= w.sum()
        base = w.copy()
        scale = rng.uniform(0.0, 1.0)
        # Members that miss few rows by much: the case where the bound says something.
        miss = rng.normal(size=(n, T)) * (rng.uniform(size=(n, T)) < 0.2) + 0.01 * scale * rng.normal(
            size=(n, T)
        )
        rounds, said = [], []
        for t in range(T):
            found, new = median_round(np.abs(miss[:, t]), w, LOSSES[name], rate)
            if 0.0 < found.vote < math.inf:
                rounds.append(found)
                said.append(y + miss[:, t])
                w = new
        if not rounds:
            continue
        median = weighted_median(np.column_stack(said), np.array([r.vote for r in rounds]))
        for tau in np.quantile(np.abs(miss), [0.5, 0.9, 0.99]):
            bound = exceedance_bound(rounds, float(tau), LOSSES[name])
            spoke += bound < 1.0
            assert base[np.abs(median - y) >= tau].sum() <= bound * (1.0 + 1e-9)
    assert spoke > 0
