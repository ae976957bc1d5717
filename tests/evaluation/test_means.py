"""Intervals of mean losses: Hall, t, groups, cross-validation, corrected resampling, the best of many."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import optimize, stats

from empirisk.evaluation.intervals import (
    best_of,
    grouped_kfold,
    grouped_mean,
    grouped_proportion,
    hall,
    nadeau_bengio,
    paired_losses,
    repeated_kfold,
    student,
)
from empirisk.evaluation.intervals.bbc import bbc_draws
from empirisk.evaluation.intervals.grouped import sum_variance


def test_hall_inverts_the_cubic_transformation(rng: np.random.Generator) -> None:
    # Hall (1992): T + b T^2/3 + b^2 T^3/27 + b/6 is the transformed statistic; solve it for the mean.
    x = rng.exponential(size=40)
    n, b = x.size, stats.skew(x) / math.sqrt(x.size)
    se, t = x.std(ddof=1) / math.sqrt(n), stats.t.ppf(0.975, n - 1)

    def transformed(mu: float) -> float:
        statistic = (x.mean() - mu) / se
        return statistic + b * statistic**2 / 3 + b**2 * statistic**3 / 27 + b / 6

    e = hall(x)
    assert e.low == pytest.approx(optimize.brentq(lambda mu: transformed(mu) - t, -50, 50), rel=1e-9)
    assert e.high == pytest.approx(optimize.brentq(lambda mu: transformed(mu) + t, -50, 50), rel=1e-9)


def test_hall_in_high_precision(rng: np.random.Generator) -> None:
    x = rng.exponential(size=60)
    with mpmath.workdps(40):
        v = [mpmath.mpf(float(a)) for a in x]
        n = len(v)
        m = sum(v) / n
        m2, m3 = sum((a - m) ** 2 for a in v) / n, sum((a - m) ** 3 for a in v) / n
        b = m3 / m2 ** mpmath.mpf(1.5) / mpmath.sqrt(n)
        se = mpmath.sqrt(m2 / (n - 1))
        t = mpmath.mpf(float(stats.t.ppf(0.975, n - 1)))
        h = 3 / b * (mpmath.cbrt(1 + b * (t - b / 6)) - 1)
        assert hall(x).low == pytest.approx(float(m - se * h), rel=1e-12)


def test_hall_without_skewness_is_student() -> None:
    x = 5.0 + np.tile([-1.0, -0.5, 0.0, 0.5, 1.0], 20)
    low, high = stats.t.interval(0.95, 99, x.mean(), x.std(ddof=1) / 10)
    e = hall(x)
    assert (e.low, e.high) == pytest.approx((low, high), rel=1e-12)
    assert (student(x).low, student(x).high) == pytest.approx((low, high), rel=1e-12)
    # A skewness of a hair must not lose digits.
    y = x.copy()
    y[0] += 1e-9
    assert hall(y).low == pytest.approx(low, rel=1e-9)


def test_mean_refusals() -> None:
    assert "29 rows are too few" in hall(np.arange(29.0)).reason
    equal = hall(np.full(50, 0.3))
    assert equal.low is None
    assert "same loss" in equal.reason
    assert student(np.full(50, 0.3)).low is None
    bounded = hall(np.zeros(50), bound=1.0)
    assert bounded.low == 0.0
    assert 0.05 < bounded.high < 0.1
    with pytest.raises(ValueError, match="row 3"):
        hall([1.0] * 3 + [math.nan] * 2)
    with pytest.raises(ValueError, match="must not be negative"):
        hall([-1.0] * 40)
    with pytest.raises(ValueError, match="empty"):
        hall([])


def test_a_long_tail_is_a_warning_not_a_refusal(rng: np.random.Generator) -> None:
    x = np.ones(400)
    x[:3], x[3] = 50.0, 1.5
    e = hall(x)
    assert e.low is not None
    assert "a long tail" in e.reason
    noise = rng.standard_normal(400) ** 2
    assert hall(noise).reason == hall(noise, errors=True).reason == ""
    few = hall(noise[:249], errors=True)
    assert few.low is not None
    assert "249 rows cannot show" in few.reason


def brute_cr(x: np.ndarray, g: np.ndarray, power: float) -> float:
    """CR2, CR3 with matrices: residual blocks times (I - H_gg)^(-1/2), ^(-1); regression on a constant."""
    n, total = x.size, 0.0
    residual = x - x.mean()
    for label in np.unique(g):
        rows = np.flatnonzero(g == label)
        keep = np.eye(rows.size) - np.full((rows.size, rows.size), 1.0 / n)
        values, vectors = np.linalg.eigh(keep)
        adjusted = vectors @ np.diag(values**-power) @ vectors.T @ residual[rows]
        total += adjusted.sum() ** 2
    return total / n**2


def test_grouped_mean_is_cr3_on_the_log_scale(rng: np.random.Generator) -> None:
    g = np.repeat(np.arange(9), [1, 2, 3, 4, 5, 6, 7, 8, 9])
    x = rng.exponential(size=g.size) + rng.exponential(size=9)[g]
    df = 1.0 / np.sum((np.bincount(g) / g.size) ** 2) - 1.0
    half = stats.t.ppf(0.975, df) * math.sqrt(brute_cr(x, g, 1.0)) / x.mean()
    e = grouped_mean(x, g)
    assert (e.low, e.high) == pytest.approx(
        (x.mean() * math.exp(-half), x.mean() * math.exp(half)), rel=1e-10
    )
    signed = grouped_mean(x - x.mean(), g)
    half = stats.t.ppf(0.975, df) * math.sqrt(brute_cr(x, g, 0.5))
    assert (signed.low, signed.high) == pytest.approx((-half, half), abs=1e-10)
    assert grouped_mean(x, g, signed=True).low == pytest.approx(x.mean() - half)


def test_groups_of_one_are_independent_rows(rng: np.random.Generator) -> None:
    x = rng.normal(size=200)
    grouped, alone = grouped_mean(x, np.arange(200)), student(x)
    assert (grouped.low, grouped.high) == pytest.approx((alone.low, alone.high), rel=1e-12)


def test_group_refusals_and_labels() -> None:
    x = np.arange(30.0)
    assert "5 groups are too few" in grouped_mean(x, np.arange(30) % 5).reason
    assert "1 group is too few" in grouped_mean(x, np.zeros(30)).reason
    assert grouped_proportion(x > 3, np.arange(30) % 4).low is None
    text = np.array(["a", "b", "c", "d", "e", "f"])[np.arange(30) % 6]
    assert grouped_mean(x, text).low == grouped_mean(x, np.arange(30) % 6).low
    with pytest.raises(ValueError, match="one label for each of the 30 rows"):
        grouped_mean(x, np.arange(5))
    with pytest.raises(ValueError, match="missing labels"):
        grouped_mean(x, np.r_[np.nan, np.arange(29.0)])


def test_grouped_proportion_by_hand() -> None:
    g = np.repeat(np.arange(10), 4)
    hit = (np.arange(40) % 7 > 0).astype(float)
    p, t = hit.mean(), stats.t.ppf(0.975, 9)
    v = 10 / 9 * np.sum([(hit[g == k] - p).sum() ** 2 for k in range(10)]) / 40**2
    m = min(40.0, p * (1 - p) / v)
    centre, half = p + t * t / 2 / m, t * math.sqrt(p * (1 - p) / m + t * t / 4 / m**2)
    e = grouped_proportion(hit, g)
    assert (e.low, e.high) == pytest.approx(
        ((centre - half) / (1 + t * t / m), min(1.0, (centre + half) / (1 + t * t / m))), rel=1e-12
    )
    perfect = grouped_proportion(np.ones(40), g)
    assert perfect.low == pytest.approx(1 / (1 + t * t / 10))
    assert perfect.high == 1.0


def test_repeated_kfold_by_hand(rng: np.random.Generator) -> None:
    rows = rng.exponential(size=(3, 50))
    t, se = stats.t.ppf(0.975, 49), math.sqrt(np.mean(rows.var(axis=1, ddof=1)) / 50 * 5 / 4)
    e = repeated_kfold(rows, 5)
    d = rows - rows.mean(axis=1, keepdims=True)
    b = np.mean(d**3) / np.mean(d**2) ** 1.5 / math.sqrt(50)

    def transformed(mean: float) -> float:
        u = (rows.mean() - mean) / se
        return u + b * u**2 / 3 + b**2 * u**3 / 27 + b / 6

    assert transformed(e.low) == pytest.approx(t, rel=1e-9)
    assert transformed(e.high) == pytest.approx(-t, rel=1e-9)
    difference = repeated_kfold(rows - 1.0, 5, kind="difference")
    assert (difference.low, difference.high) == pytest.approx(
        (rows.mean() - 1 - t * se, rows.mean() - 1 + t * se)
    )
    # Never the variance of the row averages: three identical repeats are as wide as one.
    assert repeated_kfold(np.tile(rows[0], (3, 1)), 5).low == pytest.approx(repeated_kfold(rows[0], 5).low)
    proportion = repeated_kfold(rows > 1, 5, kind="proportion")
    share = float(np.mean(rows > 1))
    assert proportion.low < share < proportion.high
    assert "trained on 40 of these 50 rows" in e.target
    assert "trained on 45 of these 50 rows" in repeated_kfold(rows, 10).target


def test_cross_validation_refusals() -> None:
    assert repeated_kfold(np.arange(29.0), 5).low is None
    assert repeated_kfold(np.zeros(40), 5, kind="difference").low is None
    g = np.arange(60) % 15
    assert "at least 20" in grouped_kfold(np.arange(60.0), g, 5).reason
    assert grouped_kfold(np.arange(60.0), g, 5, bound=100.0).low > 0.0
    assert grouped_kfold(np.arange(60.0), g, 5, kind="difference").low is not None
    perfect = grouped_kfold(np.ones(60), g, 5, kind="proportion")
    assert perfect.low < 1.0
    with pytest.raises(ValueError, match="row 7 in repeat 0 is inf"):
        repeated_kfold(np.r_[np.zeros(7), np.inf, np.zeros(30)], 5)
    with pytest.raises(ValueError, match="at least 2"):
        repeated_kfold(np.zeros(40), 1)


def test_nadeau_bengio_by_hand() -> None:
    scores = np.array([0.8, 0.9, 0.85, 0.82, 0.88])
    half = stats.t.ppf(0.975, 4) * scores.std(ddof=1) * math.sqrt(1 / 5 + 1 / 4)
    e = nadeau_bengio(scores, 0.25, 100)
    assert (e.low, e.high) == pytest.approx((0.85 - half, 0.85 + half))
    assert nadeau_bengio(scores[:4], 0.25, 100).low is None
    assert nadeau_bengio(np.ones(5), 0.25, 100).low is None


def test_paired_losses(rng: np.random.Generator) -> None:
    a, b = rng.exponential(size=80), rng.exponential(size=80)
    low, high = stats.ttest_rel(a, b).confidence_interval(0.95)
    e = paired_losses(a, b)
    assert (e.low, e.high) == pytest.approx((low, high))
    assert "same losses" not in e.reason
    assert paired_losses(a, a).low is None
    right = (rng.random(80) < 0.8).astype(float)
    assert "no difference seen on 80 rows" in paired_losses(right, right, zero_one=True).reason
    flipped = right.copy()
    flipped[:5] = 1 - flipped[:5]
    assert "differ on 5 of 80 rows" in paired_losses(right, flipped, zero_one=True, folds=5).reason
    assert paired_losses(right, flipped, zero_one=True).method == "Tango"
    assert paired_losses(a, b, groups=np.arange(80) // 4).low is not None
    assert paired_losses(a, b, groups=np.arange(80) // 20).low is None
    # A difference of one sign stays on the plain scale: its interval may cross 0.
    assert paired_losses(a + 0.01 * b, a, groups=np.arange(80) // 8).method.startswith("t,")
    with pytest.raises(ValueError, match="same rows"):
        paired_losses(a, b[:70])


def test_bbc_draws_by_brute_force() -> None:
    losses = np.random.default_rng(3).exponential(size=(30, 4))
    fast = bbc_draws(losses, 50, np.random.default_rng(0))
    counts = np.random.default_rng(0).multinomial(30, np.full(30, 1 / 30), size=50)
    slow = []
    for c in counts:
        best = np.argmin([np.average(losses[:, j], weights=c) for j in range(4)])
        slow.append(losses[c == 0, best].mean())
    np.testing.assert_allclose(fast, slow, rtol=1e-12)


def test_best_of_corrects_the_winner(rng: np.random.Generator) -> None:
    coins = rng.random((300, 40)) < 0.5
    e = best_of(coins, 5, random_state=0)
    winner = coins.mean(axis=0).min()
    assert winner < 0.45 < e.value
    half = stats.t.ppf(0.975, 299) * math.sqrt(
        coins[:, coins.mean(axis=0).argmin()].var(ddof=1) / 300 * 5 / 4
    )
    assert e.high - e.value == pytest.approx(half)
    losses = rng.exponential(size=(300, 5))
    smooth = best_of(losses, 5, random_state=0)
    own = repeated_kfold(losses[:, losses.mean(axis=0).argmin()], 5)
    assert own.value < smooth.value
    assert (smooth.low, smooth.high) == pytest.approx((own.low, own.high + smooth.value - own.value))
    assert "trained on 240 of these 300 rows" in smooth.target
    assert best_of(coins[:20], 5).low is None
    assert best_of(coins, 5, random_state=1).value == best_of(coins, 5, random_state=1).value
    with pytest.raises(ValueError, match="rows, candidates"):
        best_of(coins[:, 0], 5)
    with pytest.raises(ValueError, match="candidate 1 in row 2 is nan"):
        best_of(np.where(np.arange(6).reshape(3, 2) == 5, np.nan, 0.0), 5)


def test_the_variance_over_groups_by_its_definition(rng: np.random.Generator) -> None:
    rows = rng.normal(size=40)
    rows -= rows.mean()
    # Groups of one row: the squared standard error of a mean.
    assert sum_variance(rows, np.arange(40), 40) == pytest.approx(rows.var(ddof=1) / 40, rel=1e-12)
    # Groups of one size: the same for the means of the groups.
    codes = np.repeat(np.arange(8), 5)
    means = rows.reshape(8, 5).mean(axis=1)
    assert sum_variance(rows, codes, 8) == pytest.approx(means.var(ddof=1) / 8, rel=1e-12)
