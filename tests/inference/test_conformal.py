"""Split conformal prediction: the rank by algebra, coverage by simulation and by the exact law."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from empirisk.inference.conformal import Conformal, cumulative_scores, quantile_band_scores, widened


@pytest.mark.parametrize("n", [1, 2, 9, 19, 99, 100, 999])
@pytest.mark.parametrize("level", ["0.5", "0.8", "0.9", "0.95", "0.7", "0.35"])
def test_the_rank_is_that_of_exact_arithmetic(n: int, level: str) -> None:
    exact = math.ceil((n + 1) * Fraction(level))
    c = Conformal(np.arange(n, dtype=float), "score")
    if exact <= n:
        assert c.rank(float(level)) == exact
        assert c.threshold(float(level)) == exact - 1.0
    else:
        need = math.ceil(Fraction(level) / (1 - Fraction(level)))
        with pytest.raises(ValueError, match=f"needs at least {need} held-out rows, there are {n}"):
            c.rank(float(level))
        assert Conformal(np.zeros(need), "score").rank(float(level)) == need  # and that many are enough


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, 1.5, float("nan")])
def test_levels_lie_between_0_and_1(level: float) -> None:
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1"):
        Conformal(np.zeros(50), "score").threshold(level)


def test_marginal_coverage_is_the_promised_one() -> None:
    # Rank uniform among n + 1: exactly k / (n + 1) without ties.  40000 draws: 4 sigma is 0.006.
    rng = np.random.default_rng(1)
    n, level = 24, 0.9
    scores = rng.standard_cauchy(size=(40_000, n + 1))
    k = Conformal(scores[0, :n], "score").rank(level)
    covered = np.mean(scores[:, n] <= np.sort(scores[:, :n], axis=1)[:, k - 1])
    assert covered == pytest.approx(k / (n + 1), abs=0.006)
    assert k / (n + 1) <= level + 1.0 / (n + 1)


def test_coverage_given_the_held_out_rows_follows_the_beta_law() -> None:
    rng = np.random.default_rng(2)
    n, level = 60, 0.8
    true = []  # uniform scores: the coverage of a threshold is the threshold
    for _ in range(2000):
        c = Conformal(rng.uniform(size=n), "score")
        true.append(c.threshold(level))
    told = c.coverage(level)
    inside = np.mean((np.array(true) >= told.low) & (np.array(true) <= told.high))
    assert inside == pytest.approx(0.95, abs=0.02)  # 4 sigma
    k = c.rank(level)
    assert stats.kstest(true, stats.beta(k, n + 1 - k).cdf).pvalue > 1e-3


def test_bands_hold_the_targets_whose_score_is_small_enough() -> None:
    rng = np.random.default_rng(3)
    low, width, y = rng.normal(size=300), rng.exponential(size=300), rng.normal(size=300)
    unit = rng.uniform(0.5, 2.0, size=300)
    score = quantile_band_scores(y, low, low + width, unit)
    for by in (-0.7, -0.1, 0.0, 0.4):
        band = widened(low, low + width, by, unit)
        inside = (band[:, 0] <= y) & (y <= band[:, 1])
        assert inside[score <= by].all()
        emptied = low - by * unit > low + width + by * unit
        assert not inside[(score > by) & ~emptied].any()
        assert (band[:, 0] <= band[:, 1]).all()


def test_cumulative_scores_by_brute_force() -> None:
    rng = np.random.default_rng(4)
    p = rng.dirichlet(np.ones(5), size=50)
    brute = np.array([[row[row >= row[k]].sum() for k in range(5)] for row in p])
    np.testing.assert_allclose(cumulative_scores(p), brute, rtol=1e-14)
