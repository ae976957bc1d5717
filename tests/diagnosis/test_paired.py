"""The paired comparison: p-values by SciPy, groups by aggregation, row counts by the power they give."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from empirisk.diagnosis import Outcome
from empirisk.diagnosis.paired import one_figure, paired


@pytest.fixture
def losses(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    a = rng.gamma(2.0, size=200)
    return a, a - 0.1 + rng.normal(0.0, 0.5, 200)


def test_p_values_are_those_of_a_t_test_with_a_larger_error(losses: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = losses
    d = paired(a, b, 0.05)
    # A t test of differences blown up about their mean by 1.25 has exactly that standard error.
    x = (a - b).mean() + 1.25 * ((a - b) - (a - b).mean())
    assert d.p_fire == pytest.approx(stats.ttest_1samp(x, 0.05, alternative="greater").pvalue, rel=1e-12)
    assert d.p_clear == pytest.approx(stats.ttest_1samp(x, 0.05, alternative="less").pvalue, rel=1e-12)
    low, high = stats.ttest_1samp(x, 0.05).confidence_interval(0.95)
    assert (d.low, d.high) == pytest.approx((low, high), rel=1e-12)


def test_the_interval_factor_widens_the_interval_only(losses: tuple[np.ndarray, np.ndarray]) -> None:
    plain, wide = paired(*losses, 0.05), paired(*losses, 0.05, interval_factor=1.5)
    assert wide.p_fire == plain.p_fire
    assert (wide.high - wide.low) == pytest.approx((plain.high - plain.low) * 1.5 / 1.25)


def test_groups_of_equal_size_are_their_means(rng: np.random.Generator) -> None:
    codes = np.repeat(np.arange(40), 5)
    d = rng.normal(0.2, 1.0, 200) + rng.normal(size=40)[codes]
    grouped = paired(d, np.zeros(200), 0.1, codes)
    means = d.reshape(40, 5).mean(axis=1)
    assert grouped.n == 40
    assert grouped.gain == pytest.approx(d.mean())
    assert grouped.se == pytest.approx(1.25 * means.std(ddof=1) / math.sqrt(40))


def test_groups_may_have_other_sizes_and_any_codes(rng: np.random.Generator) -> None:
    codes = rng.integers(50, size=300) * 7 + 3
    d = rng.normal(size=300)
    grouped = paired(d, np.zeros(300), 0.0, codes)
    sums = np.array([d[codes == c].sum() for c in np.unique(codes)])
    assert grouped.gain == pytest.approx(d.mean())
    assert grouped.se == pytest.approx(1.25 * sums.std(ddof=1) * math.sqrt(sums.size) / 300)


@pytest.mark.parametrize(
    ("rows", "rarest", "groups", "why"),
    [
        (49, None, None, "49 rows are fewer than 50"),
        (400, 9, None, "the rarest class has 9 rows, fewer than 10"),
        (400, None, 29, "29 groups are fewer than 30"),
    ],
)
def test_too_little_to_tell(rows: int, rarest: int | None, groups: int | None, why: str) -> None:
    a = np.arange(rows) % 7 + 10.0
    codes = None if groups is None else np.arange(rows) % groups
    d = paired(a, a - 5.0 - 0.01 * np.arange(rows), 0.1, codes, rarest=rarest)
    assert d.refused == why
    assert d.outcome() is Outcome.CANNOT_TELL


def test_no_clear_below_a_hundred_rows(rng: np.random.Generator) -> None:
    a = rng.normal(1.0, 0.1, 100)
    assert paired(a, a + 1.0 + rng.normal(0.0, 0.1, 100), 0.1).outcome() is Outcome.CLEAR
    assert paired(a[:99], a[:99] + 1.0 + rng.normal(0.0, 0.1, 99), 0.1).outcome() is Outcome.CANNOT_TELL


@pytest.mark.parametrize(("shift", "outcome"), [(-0.5, Outcome.FIRES), (0.5, Outcome.CLEAR)])
def test_a_difference_without_spread_is_decided_by_its_sign(shift: float, outcome: Outcome) -> None:
    a = np.ones(200)
    assert paired(a, a + shift, 0.1).outcome() is outcome


def test_losses_that_are_not_finite_are_named() -> None:
    b = np.ones(60)
    b[17] = np.inf
    with pytest.raises(ValueError, match="row 17"):
        paired(np.ones(60), b, 0.1)


def test_the_row_count_gives_the_power_it_promises(rng: np.random.Generator) -> None:
    # Differences of sd 1 and a gain of 0.4 with margin 0.2: at the stated rows 80 % of the samples fire.
    pilot = rng.normal(0.4, 1.0, 20_000)
    pilot = (pilot - pilot.mean()) / pilot.std(ddof=1) + 0.4
    m = paired(pilot, np.zeros(20_000), 0.2).rows_needed
    exact = (1.25 * (stats.norm.ppf(0.95) + stats.norm.ppf(0.8)) / 0.2) ** 2
    assert m == one_figure(exact) == 300
    size = math.ceil(exact)
    fired = [paired(rng.normal(0.4, 1.0, size), np.zeros(size), 0.2).p_fire <= 0.05 for _ in range(600)]
    # The stated formula puts the factor 1.25 on both quantiles, so that the power is a little above 80 %.
    assert 0.78 <= np.mean(fired) <= 0.93


def test_level_at_the_boundary(rng: np.random.Generator) -> None:
    # Independent rows whose gain is the margin: the factor makes 5 % into P(T >= 1.25 t_.95) = 2 %.
    fired = np.mean(
        [paired(rng.normal(0.2, 1.0, 100), np.zeros(100), 0.2).p_fire <= 0.05 for _ in range(4000)]
    )
    nominal = stats.t.sf(1.25 * stats.t.ppf(0.95, 99), 99)
    assert abs(fired - nominal) < 4 * math.sqrt(nominal / 4000)
