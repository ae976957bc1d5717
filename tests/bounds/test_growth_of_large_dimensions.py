"""Sauer's sum where it has more terms than one wants to add."""

from __future__ import annotations

import mpmath as mp
import pytest

import empirisk as er


def in_forty_digits(n: int, d: int) -> mp.mpf:
    """Return the sum in forty digits, its terms added outwards from the largest."""
    with mp.workdps(40):
        top = min(d, n // 2)
        total = mp.mpf(1)
        term, i = mp.mpf(1), top
        while i > 0 and term > mp.mpf(10) ** -20:
            term *= mp.mpf(i) / (n - i + 1)
            total, i = total + term, i - 1
        term, i = mp.mpf(1), top
        while i < d and term > mp.mpf(10) ** -20:
            term *= mp.mpf(n - i) / (i + 1)
            total, i = total + term, i + 1
        return mp.log(total) + mp.loggamma(n + 1) - mp.loggamma(top + 1) - mp.loggamma(n - top + 1)


@pytest.mark.parametrize("d", [2001, 30_000, 10**7])
@pytest.mark.parametrize("factor", [1.001, 1.5, 1.99, 2.0, 2.01, 3.0, 1e3, 1e6, 1.1e6, 1e9])
def test_sum_from_the_top(d: int, factor: float) -> None:
    n = min(int(factor * d), 10**18)
    if d == 10**7 and factor < 3.0:
        n = 3 * d
    assert er.bounds.log_sauer(n, d) == pytest.approx(float(in_forty_digits(n, d)), rel=1e-12)


def test_both_ways_meet() -> None:
    below, above = er.bounds.log_sauer(50_000, 2000), er.bounds.log_sauer(50_000, 2001)
    assert 0.0 < above - below < 4.0
    assert er.bounds.log_sauer(2002, 2001) == pytest.approx(er.bounds.log_sauer(2002, 2002), rel=1e-12)
