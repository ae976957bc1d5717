"""AUC, average precision, R2 and effective sample sizes against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, special, stats
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from empirisk.evaluation.intervals import (
    auc_interval,
    average_precision,
    average_precision_interval,
    effective_wilson,
    newcombe_limits,
    r2_interval,
    smooth_limits,
)
from empirisk.evaluation.intervals.auc import auc_influence, delong, placements
from empirisk.evaluation.intervals.average_precision import average_precision_influence
from empirisk.evaluation.intervals.r2 import r2_influence, r2_value
from empirisk.evaluation.metrics import labels
from empirisk.evaluation.metrics.predictions import classification


def tied(rng: np.random.Generator, n: int, share: float = 0.4) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores with many ties."""
    y = rng.random(n) < share
    y[:2] = True, False
    return y, np.round(rng.normal(size=n) + y, 1)


def quadratic_delong(y: np.ndarray, s: np.ndarray) -> tuple[float, float]:
    """Area and DeLong variance by comparing every pair."""
    wins = (s[y][:, None] > s[~y]) + 0.5 * (s[y][:, None] == s[~y])
    a, b = wins.mean(axis=1), wins.mean(axis=0)
    return float(wins.mean()), a.var(ddof=1) / a.size + b.var(ddof=1) / b.size


@pytest.mark.parametrize("n", [10, 57, 300])
def test_delong_equals_the_quadratic_loop(rng: np.random.Generator, n: int) -> None:
    y, s = tied(rng, n)
    area, variance = quadratic_delong(y, s)
    a, b = placements(y, s)
    assert a.mean() == pytest.approx(area, rel=1e-12)
    assert b.mean() == pytest.approx(area, rel=1e-12)
    assert roc_auc_score(y, s) == pytest.approx(area, rel=1e-12)
    assert delong(a, b)[0] == pytest.approx(variance, rel=1e-12)


def test_auc_interval_by_hand(rng: np.random.Generator) -> None:
    y, s = tied(rng, 80)
    area, variance = quadratic_delong(y, s)
    wins = (s[y][:, None] > s[~y]) + 0.5 * (s[y][:, None] == s[~y])
    p1 = wins.mean(axis=1).var(ddof=1) / y.sum()
    p0 = wins.mean(axis=0).var(ddof=1) / (~y).sum()
    df = variance**2 / (p1**2 / (y.sum() - 1) + p0**2 / ((~y).sum() - 1))
    half = stats.t.ppf(0.975, df) * math.sqrt(variance) / (area * (1 - area))
    e = auc_interval(y, s)
    expected = special.expit(special.logit(area) + np.array([-half, half]))
    assert (e.low, e.high) == pytest.approx(tuple(expected), rel=1e-10)


@pytest.mark.parametrize(("area", "n1", "n0"), [(1.0, 15, 15), (1.0, 50, 50), (0.0, 9, 30), (0.8, 20, 40)])
def test_newcombe_solves_its_equation(area: float, n1: int, n0: int) -> None:
    s = (n1 + n0) / 2 - 1

    def gap(theta: float) -> float:
        v = theta * (1 - theta) * (1 + s * (1 - theta) / (2 - theta) + s * theta / (1 + theta)) / (n1 * n0)
        return (theta - area) ** 2 - 1.959963984540054**2 * v

    low, high = newcombe_limits(area, n1, n0)
    if area > 0:
        assert low == pytest.approx(optimize.brentq(gap, 1e-12, min(area, 1 - 1e-9)), abs=1e-9)
    else:
        assert low == 0.0
    if area < 1:
        assert high == pytest.approx(optimize.brentq(gap, max(area, 1e-9), 1 - 1e-12), abs=1e-9)
    else:
        assert high == 1.0


def test_perfect_and_hopeless_rankings_have_an_interval() -> None:
    y = np.arange(30) % 2 == 1
    perfect, hopeless = auc_interval(y, y + 0.0), auc_interval(y, -1.0 * y)
    assert perfect.value == 1.0
    assert perfect.low == pytest.approx(0.86, abs=0.01)  # as measured for 15 + 15 rows
    assert hopeless.high == pytest.approx(1 - perfect.low)
    assert perfect.method == "Newcombe method 5"
    constant = auc_interval(y, np.zeros(30))
    assert constant.value == 0.5
    assert constant.low < 0.5 < constant.high


def test_auc_refusals() -> None:
    y = np.arange(50) < 4
    assert "smaller class has 4 rows" in auc_interval(y, np.arange(50.0)).reason
    one = auc_interval(np.zeros(50, bool), np.arange(50.0))
    assert math.isnan(one.value)
    assert "all of one class" in one.reason


def numerical_influence(value, n: int) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Influence of each row by adding a little weight to it."""
    base, h = value(np.ones(n)), 1e-6
    out = np.empty(n)
    for i in range(n):
        w = np.full(n, 1.0 - h)
        w[i] += h * n
        out[i] = (value(w) - base) / h
    return out


def test_average_precision_value_and_influence(rng: np.random.Generator) -> None:
    y, s = tied(rng, 60)
    value, influence = average_precision_influence(y, s)
    assert value == pytest.approx(average_precision_score(y, s), rel=1e-12)
    numeric = numerical_influence(lambda w: average_precision_score(y, s, sample_weight=w), 60)
    np.testing.assert_allclose(influence, numeric, atol=1e-3)
    assert abs(influence.sum()) < 1e-9


def test_auc_and_r2_influence(rng: np.random.Generator) -> None:
    y, s = tied(rng, 60)
    numeric = numerical_influence(lambda w: roc_auc_score(y, s, sample_weight=w), 60)
    np.testing.assert_allclose(auc_influence(y, s), numeric, atol=1e-3)
    x = rng.normal(size=60)
    t = x + rng.normal(size=60)

    def weighted(w: np.ndarray) -> float:
        return 1 - np.average((t - x) ** 2, weights=w) / np.average(
            (t - np.average(t, weights=w)) ** 2, weights=w
        )

    np.testing.assert_allclose(r2_influence(t, x), numerical_influence(weighted, 60), atol=1e-3)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_label_scores_and_influence(rng: np.random.Generator, n_classes: int) -> None:
    y, pred = rng.integers(n_classes, size=80), rng.integers(n_classes, size=80)
    p = classification(y, pred=pred, classes=np.arange(n_classes))
    average = "binary" if n_classes == 2 else "macro"
    assert labels.f1(p) == pytest.approx(f1_score(y, pred, average=average), rel=1e-12)
    numeric = numerical_influence(lambda w: f1_score(y, pred, average=average, sample_weight=w), 80)
    np.testing.assert_allclose(labels.f1_influence(p), numeric, atol=1e-3)
    recall = lambda w: np.mean([np.average(pred[y == c] == c, weights=w[y == c]) for c in range(n_classes)])  # noqa: E731
    np.testing.assert_allclose(labels.balanced_influence(p), numerical_influence(recall, 80), atol=1e-3)


def test_average_precision_interval_edges() -> None:
    y = np.arange(200) < 12
    perfect = average_precision_interval(y, y + 0.0)
    assert perfect.value == pytest.approx(1.0)
    t = stats.t.ppf(0.975, 11)
    assert perfect.low == pytest.approx(1 / (1 + t * t / 12))
    assert average_precision_interval(np.arange(200) < 9, np.arange(200.0)).low is None
    assert math.isnan(average_precision_interval(np.ones(20, bool), np.arange(20.0)).value)


def leave_out(y: np.ndarray, pred: np.ndarray, g: np.ndarray) -> np.ndarray:
    """log(1 - R2) without each group in turn, from scratch."""
    return np.array([math.log(1 - r2_value(y[g != k], pred[g != k])) for k in np.unique(g)])


@pytest.mark.parametrize("grouped", [False, True])
def test_r2_jackknife_from_scratch(rng: np.random.Generator, grouped: bool) -> None:
    x = rng.normal(size=48)
    y = 10 + x + rng.normal(size=48)
    g = np.repeat(np.arange(16), 3) if grouped else np.arange(48)
    psi = leave_out(y, x + 10, g)
    units = psi.size
    half = stats.t.ppf(0.975, units - 1) * math.sqrt((units - 1) / units * np.sum((psi - psi.mean()) ** 2))
    centre = math.log(1 - r2_value(y, x + 10))
    e = r2_interval(y, x + 10, groups=g if grouped else None)
    assert (e.low, e.high) == pytest.approx(
        (1 - math.exp(centre + half), 1 - math.exp(centre - half)), rel=1e-9
    )


def test_r2_refusals() -> None:
    y = np.arange(40.0)
    assert "a single row" in r2_interval(y, y).reason
    assert math.isnan(r2_interval(np.ones(40), y).value)
    near = r2_interval(y, y * (1.0 + 1e-12 * np.random.default_rng(3).normal(size=y.size)))
    assert near.value == 1.0  # 1 - R2 is lost to rounding
    assert "no variation" in near.reason
    spike = np.zeros(40)
    spike[3] = 1.0
    assert r2_interval(spike, np.zeros(40)).low is None
    assert r2_interval(y[:19], y[:19] ** 1.1).low is None
    assert r2_interval(y, y**1.1, groups=np.arange(40) % 9).low is None


def test_scales_agree_where_they_must() -> None:
    # A binomial variance gives back the binomial interval, on every Wilson-like scale.
    n, p = 50, 0.7
    t = stats.t.ppf(0.975, 49)
    low, high = smooth_limits(p, p * (1 - p) / n, 49, 0.95, "wilson")
    for limit in (low, high):
        assert (limit - p) ** 2 == pytest.approx(t * t * limit * (1 - limit) / n, rel=1e-9)
    f = 2 * p / (1 + p)
    slope = 2 / (1 + p) ** 2
    mapped = smooth_limits(f, p * (1 - p) / n * slope**2, 49, 0.95, "jaccard")
    assert mapped == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)), rel=1e-12)
    assert smooth_limits(1.0, 0.01, 49, 0.95, "wilson") is None
    correlation = effective_wilson(0.4, 4 * p * (1 - p) / n, n, 49, low=-1.0)
    assert (correlation.low, correlation.high) == pytest.approx((2 * low - 1, 2 * high - 1))
    assert effective_wilson(0.4, 0.0, 50, 49).low is None


def test_average_precision_of_groups_from_scratch(rng: np.random.Generator) -> None:
    g = np.repeat(np.arange(15), 4)
    y, s = tied(rng, 60)
    left = np.array([average_precision_score(y[g != k], s[g != k]) for k in range(15)])
    variance = 14 / 15 * np.sum((left - left.mean()) ** 2)
    p, t = average_precision_score(y, s), stats.t.ppf(0.975, 14)
    m = p * (1 - p) / variance
    centre, half = p + t * t / 2 / m, t * math.sqrt(p * (1 - p) / m + t * t / 4 / m**2)
    e = average_precision_interval(y, s, groups=g)
    assert (e.low, e.high) == pytest.approx(
        ((centre - half) / (1 + t * t / m), (centre + half) / (1 + t * t / m))
    )
    assert average_precision_interval(y, s, groups=g % 9).low is None
    # Above the limit of the jackknife the influence sums must give nearly the same answer.
    many = np.tile(np.arange(300), 18)
    z = rng.random(5400) < 0.3
    score = z + rng.normal(size=5400) + 0.5 * rng.normal(size=300)[many]
    fast = average_precision_interval(z, score, groups=many)
    average_precision.MAX_JACKKNIFE, before = 10**9, average_precision.MAX_JACKKNIFE
    try:
        slow = average_precision_interval(z, score, groups=many)
    finally:
        average_precision.MAX_JACKKNIFE = before
    assert fast.high - fast.low == pytest.approx(slow.high - slow.low, rel=0.1)
