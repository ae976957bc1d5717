"""Exact bootstrap distributions of order statistics: all n^n resamples, and fifty digits."""

from __future__ import annotations

import itertools

import mpmath
import numpy as np
import pytest
from scipy import stats

import empirisk as er
from empirisk.resampling.bootstrap.distribution import AtomDifference, Atoms
from empirisk.resampling.bootstrap.order import left_out_quantiles, quantile_atoms
from empirisk.typing import Array


def enumerated(x: Array, q: float) -> dict[float, float]:
    """Probability of each value of the q-quantile over all n^n resamples."""
    rows = np.array(list(itertools.product(range(len(x)), repeat=len(x))))
    values, counts = np.unique(np.round(np.quantile(x[rows], q, axis=1), 12), return_counts=True)
    return dict(zip(values.tolist(), (counts / len(rows)).tolist(), strict=True))


SAMPLES = [
    [1.0, 5.0],
    [3.0, 1.0, 2.5],
    [1.0, 2.0, 2.0, 7.0],
    [0.1, 4.0, -2.0, 9.0, 3.0],
    [1.0, 1.0, 2.0, 4.0, 4.0, 8.0],
]


@pytest.mark.parametrize("x", SAMPLES, ids=len)
@pytest.mark.parametrize("q", [0.0, 0.1, 0.25, 0.5, 0.7, 1.0])
def test_against_enumeration(x: list[float], q: float) -> None:
    atoms = quantile_atoms(np.sort(x), q)
    got: dict[float, float] = {}
    for value, weight in zip(np.round(atoms.values, 12).tolist(), atoms.weights.tolist(), strict=True):
        got[value] = got.get(value, 0.0) + weight
    want = enumerated(np.array(x), q)
    for value in got.keys() | want.keys():
        assert got.get(value, 0.0) == pytest.approx(want.get(value, 0.0), abs=2e-14)


@pytest.mark.parametrize(("n", "q"), [(401, 0.5), (400, 0.5), (1000, 0.95), (300, 0.003)])
def test_against_many_digits(n: int, q: float) -> None:
    # P(T* <= t) for T* = (1 - g) X*_(k) + g X*_(k+1), from the joint law of the two in fifty digits.
    x = np.arange(1.0, n + 1.0) ** 2
    atoms = quantile_atoms(x, q)
    h = (n - 1) * q
    k, g = int(h) + 1, h - int(h)
    with mpmath.workdps(50):
        choose = mpmath.binomial(n, k)

        def pair(i: int, j: int) -> mpmath.mpf:
            low = mpmath.mpf(i) / n, mpmath.mpf(i - 1) / n
            high = mpmath.mpf(n - j + 1) / n, mpmath.mpf(n - j) / n
            return choose * (low[0] ** k - low[1] ** k) * (high[0] ** (n - k) - high[1] ** (n - k))

        for rank in (k - 2 if k > 2 else k, k, min(n - 6, k + 5)):
            if g > 1e-9:
                at = (1.0 - g) * x[rank - 1] + g * x[rank + 1]
                got = atoms.weights[np.argmin(np.abs(atoms.values - at))]
                assert got == pytest.approx(float(pair(rank, rank + 2)), rel=1e-9)
            else:
                p = [mpmath.mpf(rank) / n, mpmath.mpf(rank - 1) / n]
                tail = [
                    sum(mpmath.binomial(n, m) * r**m * (1 - r) ** (n - m) for m in range(k, n + 1)) for r in p
                ]
                got = atoms.weights[np.argmin(np.abs(atoms.values - x[rank - 1]))]
                assert got == pytest.approx(float(tail[0] - tail[1]), rel=1e-9)


@pytest.mark.parametrize("n", [10, 61, 500, 20_001, 100_000])
@pytest.mark.parametrize("q", [0.01, 0.5, 0.9, 0.9999])
def test_weights_are_a_distribution(n: int, q: float) -> None:
    atoms = quantile_atoms(np.arange(float(n)), q)
    assert atoms.weights.min() > 0.0
    assert atoms.cdf[-1] == pytest.approx(1.0, abs=1e-12)
    # Resampled ranks: mean near the rank, variance near n q (1 - q) away from the ends.
    mean, sd = atoms.moments()
    if n * q * (1 - q) > 20.0:
        assert sd == pytest.approx(np.sqrt(n * q * (1.0 - q)), rel=0.1)
        assert abs(mean - (n - 1) * q) < 2.0


@pytest.mark.parametrize("n", [2, 3, 4, 9, 10])
@pytest.mark.parametrize("q", [0.0, 0.3, 0.5, 1.0])
def test_left_out(n: int, q: float, rng: np.random.Generator) -> None:
    x = np.sort(rng.integers(0, 6, n).astype(float))
    want = [np.quantile(np.delete(x, i), q) for i in range(n)]
    assert left_out_quantiles(x, q) == pytest.approx(want, abs=1e-12)


def test_bca_of_the_median_by_hand() -> None:
    # n = 5 by enumeration, n >= 10 is needed for the public function: the formula on the exact atoms.
    x = np.array([0.0, 1.0, 3.0, 4.0, 9.0, 10.0, 12.0, 15.0, 19.0, 30.0, 31.0])
    atoms = quantile_atoms(x, 0.5)
    left = np.array([np.median(np.delete(x, i)) for i in range(11)])
    u = left.mean() - left
    a = (u**3).sum() / (6.0 * (u**2).sum() ** 1.5)
    z0 = stats.norm.ppf(
        atoms.weights[atoms.values < 10.0].sum() + 0.5 * atoms.weights[atoms.values == 10.0].sum()
    )
    z = z0 + stats.norm.ppf([0.025, 0.975])
    want = [
        atoms.values[np.searchsorted(np.cumsum(atoms.weights), p)]
        for p in stats.norm.cdf(z0 + z / (1 - a * z))
    ]
    b = er.bootstrap("median", x)
    assert [b.low, b.high] == want
    assert b.method == "BCa bootstrap, exact"
    assert b.n_resamples is None


def test_percentile_agrees_with_resampling(rng: np.random.Generator) -> None:
    x = rng.integers(0, 40, 60).astype(float)  # many ties
    exact = er.bootstrap("median", x, method="percentile", keep=True)
    drawn = np.median(x[rng.integers(0, 60, (40_000, 60))], axis=1)
    assert isinstance(exact.distribution, Atoms)
    for p in (0.01, 0.2, 0.5, 0.8, 0.99):
        t = float(np.quantile(drawn, p))
        share = float(np.mean(drawn < t) + np.mean(drawn <= t)) / 2.0
        assert exact.distribution.below(t) == pytest.approx(share, abs=5.0 * 0.5 / np.sqrt(40_000))
    assert exact.standard_error == pytest.approx(drawn.std(), rel=5.0 / np.sqrt(2 * 40_000))


def test_difference_against_enumeration() -> None:
    a, b = (
        Atoms(np.array([0.0, 1.0, 5.0]), np.array([0.2, 0.5, 0.3])),
        Atoms(np.array([1.0, 2.0]), np.array([0.6, 0.4])),
    )
    pairs = sorted(
        (x - y, p * r)
        for x, p in zip(a.values, a.weights, strict=True)
        for y, r in zip(b.values, b.weights, strict=True)
    )
    d = AtomDifference(a, b)
    values, weights = (np.array(c) for c in zip(*pairs, strict=True))
    for t in (-3.0, -2.0, -1.5, -1.0, 0.0, 3.0, 4.0, 9.0):
        want = weights[values < t].sum() + 0.5 * weights[values == t].sum()
        assert d.below(t) == pytest.approx(want, abs=1e-15)
    cdf = np.cumsum(weights)
    for p in (0.01, 0.1, 0.3, 0.55, 0.9, 0.999):
        assert d.quantile(np.array([p]))[0] == pytest.approx(values[np.searchsorted(cdf, p)], abs=1e-13)
    mean = float(weights @ values)
    assert d.moments() == pytest.approx((mean, np.sqrt(weights @ (values - mean) ** 2)))


def test_median_difference_agrees_with_scipy(rng: np.random.Generator) -> None:
    a, b = rng.exponential(size=80), rng.exponential(size=101)
    ours = er.bootstrap("median_difference", (a, b))

    def difference(x: Array, y: Array, axis: int) -> Array:
        return np.median(x, axis=axis) - np.median(y, axis=axis)

    theirs = stats.bootstrap((a, b), difference, method="BCa", batch=500, n_resamples=20_000, rng=rng)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=5.0 / np.sqrt(2 * 20_000))
    # The ends of 20000 draws are uncertain by about 1.5 % of the width.
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.06 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.06 * width)
