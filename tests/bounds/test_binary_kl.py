"""Inverses of the binary divergence and of the binomial tail: mpmath, SciPy, Langford's program."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from empirisk.bounds import binary_kl, binomial_upper, kl_lower, kl_upper
from empirisk.bounds.pac_bayes import log_moment


@pytest.mark.parametrize("q", [0.0, 1e-9, 0.02, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("budget", [0.0, 1e-6, 0.01, 0.7, 30.0])
def test_the_inverse_is_the_largest_p(q: float, budget: float) -> None:
    p = kl_upper(q, budget)
    assert q <= p <= 1.0
    with mpmath.workdps(40):

        def kl(at: float) -> mpmath.mpf:
            a, b = mpmath.mpf(q), mpmath.mpf(at)
            parts = (a * mpmath.log(a / b) if a else 0) + (
                (1 - a) * mpmath.log((1 - a) / (1 - b)) if a < 1 else 0
            )
            return mpmath.mpf(parts)

        step = 1e-10 * p + 4e-16
        if p + step < 1.0:
            assert kl(p + step) >= budget
        if q < p - step:
            assert kl(p - step) <= budget


def test_the_lower_inverse_mirrors_the_upper() -> None:
    assert kl_lower(0.9, 0.03) == pytest.approx(1.0 - kl_upper(0.1, 0.03), abs=1e-15)
    assert binary_kl(0.3, 0.3) == 0.0
    assert binary_kl(0.3, 0.0) == math.inf


# The README of John Langford's program `bound` 0.9 prints these: 600 test rows, 192 errors, delta 0.025
# above and 0.5 below (exact tail), and 800 rows, 192 errors, 0.025 on both sides (relative entropy).
def test_langfords_program() -> None:
    assert binomial_upper(192, 600, math.log(0.025)) == pytest.approx(0.358976827934, abs=1e-9)
    assert 1.0 - binomial_upper(408, 600, math.log(0.5)) == pytest.approx(0.31926717516, abs=1e-9)
    budget = -math.log(0.025) / 800
    assert kl_upper(0.24, budget) == pytest.approx(0.28252880089, abs=1e-9)
    assert kl_lower(0.24, budget) == pytest.approx(0.20065891277, abs=1e-9)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 50), (3, 50), (49, 50), (50, 50), (7, 10_000)])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-8])
def test_the_binomial_tail_is_inverted(k: int, n: int, delta: float) -> None:
    p = binomial_upper(k, n, math.log(delta))
    if k < n:
        assert stats.binom.cdf(k, n, p) == pytest.approx(delta, rel=1e-6)
    else:
        assert p == 1.0
    assert p <= kl_upper(k / n, -math.log(delta) / n) * (1 + 1e-12)


def test_a_union_over_many_models_does_not_underflow() -> None:
    values = [binomial_upper(10, 10_000, -nats) for nats in (10.0, 500.0, 599.9, 600.1, 2000.0, 1e6)]
    assert values == sorted(values)
    assert 0.0 < values[0] < values[-1] <= 1.0
    assert values[3] - values[2] < 2e-3  # from the exact tail to Chernoff's bound


@pytest.mark.parametrize("n", [1, 2, 5, 8, 30, 400, 3000])
def test_the_moment_is_bounded(n: int) -> None:
    k = np.arange(n + 1.0)
    exact = math.log(stats.binom.pmf(k, n, k / n).sum())  # sum_k C(n,k) (k/n)^k (1-k/n)^(n-k)
    assert exact <= log_moment(n) <= exact + (0.06 if n >= 400 else 0.5)
    if n >= 8:
        assert log_moment(n) <= math.log(2.0 * math.sqrt(n))  # Maurer 2004


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: kl_upper(1.2, 0.1), "q must"),
        (lambda: kl_upper(math.nan, 0.1), "q must"),
        (lambda: kl_upper(0.1, -0.1), "budget"),
        (lambda: kl_upper(0.1, math.nan), "budget"),
        (lambda: binomial_upper(5, 4, -1.0), "errors must be at most n = 4"),
        (lambda: binomial_upper(1, 0, -1.0), "n must"),
    ],
)
def test_wrong_numbers_are_refused(call, word: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=word):
        call()
