"""Simulated coverage of learning curves: bands, and gain and loss at 2 and 5 times the rows."""

from __future__ import annotations

import numpy as np
import pytest

from bench.coverage.more_rows import QUANTITIES, SETTINGS, coverage, study, truths

# Hall's interval of squared errors from 100 rows covers 92 to 94 %.
LEAST = 0.92


def check(name: str, n: int, samples: int, runs: int, seed: int) -> None:
    found = study(name, n, samples, runs, seed)
    for quantity in QUANTITIES:
        hit, told = coverage(found[quantity])
        if told > 0.0:  # the band of least squares is refused below three rows a column
            assert hit >= LEAST - 3.5 * np.sqrt(0.08 * 0.92 / samples), quantity
    assert coverage(found["gain 2x"])[1] > 0.9


@pytest.mark.full  # simulated; the truth itself stays in the quick suite
@pytest.mark.parametrize("name", ["ridge on a curve, 5 columns", "logistic, 10 columns, log-loss"])
def test_coverage_quickly(name: str) -> None:
    check(name, 100, samples=25, runs=60, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize("name", SETTINGS)
def test_coverage(name: str, n: int) -> None:
    check(name, n, samples=100 if n == 100 else 50, runs=200, seed=2)


def test_the_truth_itself() -> None:
    # Least squares with 20 Gaussian columns and an intercept: (1 + 1/m)(m - 2)/(m - 22).
    rows = (60, 200)
    risks = truths("least squares, 20 columns", rows, 150)
    for m, risk in zip(rows, risks, strict=True):
        assert risk == pytest.approx((1 + 1 / m) * (m - 2) / (m - 22), rel=0.05)


@pytest.mark.full  # simulated, as above
def test_a_narrow_bracket_would_be_seen() -> None:
    # The check itself: intervals of the last doubling halved must fall out.
    found = study("ridge, 20 columns", 100, samples=25, runs=60, seed=3)
    hits = [
        e.value - 0.1 * (e.value - e.low) <= t <= e.value + 0.1 * (e.high - e.value)
        for e, t in found["gain 2x"]
    ]
    assert np.mean(hits) < LEAST - 3.5 * np.sqrt(0.08 * 0.92 / 25)
