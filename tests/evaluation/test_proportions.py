"""Binomial intervals against other people's values, brute-force inversion and exact coverage."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from empirisk.evaluation.intervals import balanced_accuracy_interval, clopper_pearson, f1_interval, wilson
from empirisk.evaluation.intervals.base import normal_quantile, student_quantile
from empirisk.evaluation.intervals.tango import tango, tango_limits
from empirisk.inference.limits import wilson_limits

COUNTS = [(0, 10), (1, 10), (5, 10), (10, 10), (29, 30), (30, 30), (850, 1000), (999_999, 1_000_000)]


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize(("k", "n"), COUNTS)
def test_wilson_and_clopper_pearson_equal_statsmodels(k: int, n: int, level: float) -> None:
    for ours, theirs in ((wilson, "wilson"), (clopper_pearson, "beta")):
        e = ours(k, n, level)
        low, high = proportion_confint(k, n, alpha=1 - level, method=theirs)
        assert e.low == pytest.approx(low, abs=1e-12)
        assert e.high == pytest.approx(high, abs=1e-12)
        assert (e.value, e.n, e.level) == (k / n, n, level)


def test_quantiles_have_all_their_digits() -> None:
    with mpmath.workdps(30):
        exact = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf("0.95"))
    assert normal_quantile(0.95) == pytest.approx(float(exact), rel=1e-15)
    assert student_quantile(0.95, 3.7) == pytest.approx(stats.t.ppf(0.975, 3.7), rel=1e-12)


def test_wilson_is_the_inversion_of_the_score_test() -> None:
    k, n, z = 17, 41, 1.3
    low, high = wilson_limits(k / n, n, z)
    for p in (low, high):
        assert abs(k - n * p) / math.sqrt(n * p * (1 - p)) == pytest.approx(z, rel=1e-12)


def exact_coverage(p: float, n: int) -> float:
    """Probability that the Wilson interval holds p, summed over all samples."""
    k = np.arange(n + 1)
    inside = [e.low <= p <= e.high for e in (wilson(int(i), n) for i in k)]
    return float(stats.binom.pmf(k, n, p) @ np.array(inside, dtype=float))


def test_exact_coverage_of_wilson() -> None:
    # Enumeration of all samples: no Monte-Carlo error.  95.2 % on average at 100 rows.
    coverage = [exact_coverage(p, 100) for p in np.linspace(0.5, 0.995, 100)]
    assert 0.945 < np.mean(coverage) < 0.96
    assert np.mean([0.93 <= c <= 0.972 for c in coverage]) > 0.9


def test_clopper_pearson_never_covers_less() -> None:
    for n in (10, 37):
        k = np.arange(n + 1)
        limits = [clopper_pearson(int(i), n) for i in k]
        for p in np.linspace(0.01, 0.99, 50):
            inside = np.array([e.low <= p <= e.high for e in limits], dtype=float)
            assert stats.binom.pmf(k, n, p) @ inside >= 0.95


def test_few_rows_and_impossible_counts() -> None:
    e = wilson(9, 9)
    assert (e.low, e.high) == (None, None)
    assert "9 rows are too few" in e.reason
    assert wilson(10, 10).low < 1.0
    assert math.isnan(wilson(0, 0).value)
    with pytest.raises(ValueError, match="between 0 and n = 5"):
        wilson(6, 5)
    with pytest.raises(ValueError, match="level must lie strictly between"):
        wilson(5, 50, level=95)


@pytest.mark.parametrize(("tp", "fp", "fn"), [(40, 10, 10), (3, 1, 1), (0, 3, 4), (20, 0, 0)])
def test_f1_is_the_mapped_binomial_interval(tp: int, fp: int, fn: int) -> None:
    e = f1_interval(tp, fp, fn, 200)
    low, high = proportion_confint(tp, tp + fp + fn, method="wilson")
    assert e.value == pytest.approx(2 * tp / (2 * tp + fp + fn))
    assert (e.low, e.high) == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)), abs=1e-12)


def test_f1_without_positives_is_undefined() -> None:
    e = f1_interval(0, 0, 0, 50)
    assert math.isnan(e.value)
    assert "undefined" in e.reason
    assert f1_interval(2, 1, 1, 50).low is None


def test_exact_coverage_of_f1() -> None:
    # All confusion tables of 30 rows with fixed cell probabilities, given that F1 is answered.
    p_tp, p_fp, p_fn = 0.4, 0.1, 0.1
    truth, total, covered = 2 * p_tp / (2 * p_tp + p_fp + p_fn), 0.0, 0.0
    for union in range(5, 31):
        weight = stats.binom.pmf(union, 30, p_tp + p_fp + p_fn)
        for tp in range(union + 1):
            e = f1_interval(tp, union - tp, 0, 30)
            w = weight * stats.binom.pmf(tp, union, p_tp / (p_tp + p_fp + p_fn))
            total += w
            covered += w * (e.low <= truth <= e.high)
    assert 0.93 < covered / total < 0.97


def test_balanced_accuracy_limits_combine_those_of_the_recalls() -> None:
    hits, counts = np.array([45, 8, 30]), np.array([50, 12, 40])
    e = balanced_accuracy_interval(hits, counts)
    limits = np.array([proportion_confint(k, n, method="wilson") for k, n in zip(hits, counts, strict=True)])
    p = hits / counts
    assert e.value == pytest.approx(p.mean())
    assert e.low == pytest.approx(p.mean() - math.sqrt(np.sum((p - limits[:, 0]) ** 2)) / 3)
    assert e.high == pytest.approx(p.mean() + math.sqrt(np.sum((limits[:, 1] - p) ** 2)) / 3)


def test_balanced_accuracy_needs_rows_of_every_class() -> None:
    assert "smallest class has 4 rows" in balanced_accuracy_interval([40, 4], [50, 4]).reason
    assert balanced_accuracy_interval([40, 5], [50, 5]).low is not None
    assert balanced_accuracy_interval([40, 5, 9], [50, 9, 20]).low is None
    missing = balanced_accuracy_interval([40, 0], [50, 0])
    assert missing.value == pytest.approx(0.8)
    assert "no row here" in missing.reason


def restricted_likelihood(b: int, c: int, n: int, delta: float) -> float:
    """The restricted maximum-likelihood estimate of p21 under p12 - p21 = delta, by a fine search."""
    q = np.linspace(max(0.0, -delta), (1.0 - delta) / 2.0, 200_001)[1:-1]
    value = b * np.log(q + delta) + c * np.log(q) + (n - b - c) * np.log1p(-2 * q - delta)
    return float(q[np.argmax(value)])


@pytest.mark.parametrize(("b", "c", "n"), [(20, 10, 200), (5, 1, 40), (30, 2, 60)])
def test_tango_inverts_the_score_test(b: int, c: int, n: int) -> None:
    # At each limit the score statistic, with the restricted estimate found by brute force, equals z.
    for delta in tango_limits(b, c, n):
        q = restricted_likelihood(b, c, n, delta)
        statistic = (b - c - n * delta) / math.sqrt(n * (2 * q + delta * (1 - delta)))
        assert abs(statistic) == pytest.approx(1.959964, abs=2e-3)


def test_tango_is_antisymmetric() -> None:
    low, high = tango_limits(12, 3, 50)
    mirror = tango_limits(3, 12, 50)
    assert (low, high) == pytest.approx((-mirror[1], -mirror[0]), abs=1e-10)
    assert low < 9 / 50 < high


def test_no_discordant_row_is_a_bound_not_an_interval() -> None:
    e = tango(0, 0, 500)
    assert e.low is None
    assert "no difference seen on 500 rows" in e.reason
    # The chance of no discordant row is at most (1 - d)^n; the printed bound makes that 2.5 %.
    bound = float(e.reason.split()[-1])
    assert (1 - bound) ** 500 == pytest.approx(0.025, rel=0.05)
    assert tango(4, 1, 20).low is None
    assert math.isnan(tango(0, 0, 0).value)
