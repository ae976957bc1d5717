"""The optimal split of numbers: against all splits of the sorted numbers, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from empirisk import _loops
from empirisk.clustering.one_dimensional import best_line_clusters
from empirisk.data import memory

KINDS = ("normal", "ties", "far from zero", "two scales", "many scales")


def numbers(kind: str, rng: np.random.Generator, n: int) -> np.ndarray:
    """Return numbers of a kind that is hard in its own way."""
    z = rng.normal(size=n)
    if kind == "ties":
        return rng.integers(0, 5, n).astype(float)
    if kind == "far from zero":
        return 1e9 + 1e-4 * z
    if kind == "two scales":
        return np.where(np.arange(n) % 2 == 0, z, 1e7 + 1e-3 * z)
    return z * 10.0 ** rng.integers(-4, 4, n) if kind == "many scales" else z


def least(values: list[float], weight: list[float], n_clusters: int) -> Fraction:
    """Return the least sum of squares over all splits of the different numbers into stretches."""
    points = sorted({v for v, s in zip(values, weight, strict=True) if s > 0.0})
    mass = [
        sum((Fraction(s) for v, s in zip(values, weight, strict=True) if v == p), Fraction(0)) for p in points
    ]

    def squares(begin: int, end: int) -> Fraction:
        own = list(zip(points[begin:end], mass[begin:end], strict=True))
        mean = sum(m * Fraction(p) for p, m in own) / sum(m for _, m in own)
        return sum((m * (Fraction(p) - mean) ** 2 for p, m in own), Fraction(0))

    n, count = len(points), min(n_clusters, len(points))
    cost = {(a, b): squares(a, b) for a in range(n) for b in range(a + 1, n + 1)}
    splits = ((0, *inner, n) for inner in combinations(range(1, n), count - 1))
    return min(sum(cost[e[k], e[k + 1]] for k in range(count)) for e in splits)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_no_split_of_the_sorted_numbers_is_better(
    kind: str, weighted: bool, rng: np.random.Generator
) -> None:
    for n in (1, 2, 5, 9):
        x = numbers(kind, rng, n)
        s = rng.integers(0, 4, n).astype(float) if weighted else np.ones(n)
        s[0] = 1.0
        for k in range(1, n + 1):
            best, right = best_line_clusters(x, k, s), least(x.tolist(), s.tolist(), k)
            assert best.inertia == pytest.approx(float(right), rel=1e-10, abs=0.0)
            assert Fraction(best.inertia) - Fraction(best.rounding) <= right * (1 + Fraction(1, 10**13))
            mine = [best.labels == j for j in range(len(best.centers))]
            own = [np.average(x[rows], weights=s[rows]) for rows in mine]
            np.testing.assert_allclose(best.centers, own, rtol=1e-12)
            assert (np.diff(best.centers) > 0.0).all()


def test_digits_that_no_pair_of_doubles_keeps_are_not_claimed(rng: np.random.Generator) -> None:
    x = np.concatenate([rng.normal(size=4), 1e14 + rng.integers(0, 60, 5) / 64.0])
    for k in (3, 5, 7):
        best, right = best_line_clusters(x, k), least(x.tolist(), [1.0] * 9, k)
        assert Fraction(best.inertia) - Fraction(best.rounding) <= right


@pytest.mark.parametrize("power", [-300, 300])
def test_units_change_nothing(power: int, rng: np.random.Generator) -> None:
    x, s = rng.normal(size=200), rng.exponential(size=200)
    one, other = best_line_clusters(x, 5, s), best_line_clusters(np.ldexp(x, power), 5, np.ldexp(s, -40))
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_array_equal(np.ldexp(one.centers, power), other.centers)
    assert other.inertia == np.ldexp(one.inertia, 2 * power - 40)


def test_a_weight_is_a_repetition_and_zero_is_absence(rng: np.random.Generator) -> None:
    x, s = rng.normal(size=80), rng.integers(0, 4, 80)
    weighted, repeated = best_line_clusters(x, 4, s.astype(float)), best_line_clusters(np.repeat(x, s), 4)
    np.testing.assert_array_equal(np.repeat(weighted.labels, s), repeated.labels)
    assert weighted.inertia == pytest.approx(repeated.inertia, rel=1e-13)
    nearest = np.abs(x[:, None] - weighted.centers).argmin(axis=1)
    np.testing.assert_array_equal(weighted.labels[s == 0], nearest[s == 0])


def test_a_layer_is_the_least_over_all_cuts_with_and_without_a_ceiling(rng: np.random.Generator) -> None:
    x, s = np.sort(rng.normal(size=300)), rng.exponential(size=300)
    sums = _loops.line_sums(x, s, 0.5)
    n, before, start, last = 300, np.full(301, np.inf), None, 0
    before[0] = 0.0
    direct = before.copy()
    mean = [[np.average(x[a:b], weights=s[a:b]) for b in range(a + 1, n + 1)] for a in range(n)]
    cost = np.full((n + 1, n + 1), np.inf)
    for a in range(n):
        for b in range(a + 1, n + 1):
            cost[a, b] = s[a:b] @ (x[a:b] - mean[a][b - a - 1]) ** 2
    for k in (1, 2, 3):
        out, cut = np.full(n + 1, np.inf), np.zeros(n + 1, np.int32)
        last = _loops.line_layer(sums, k, last, before, start, np.inf, out, cut)
        direct = (direct[:, None] + cost).min(axis=0)
        np.testing.assert_allclose(out[k:], direct[k:], rtol=1e-11, atol=1e-12)
        assert last == n
        ceiling = float(direct[200])
        low, low_cut = np.full(n + 1, np.inf), np.zeros(n + 1, np.int32)
        end = _loops.line_layer(
            sums, k, 0 if k == 1 else n, before, start, ceiling * (1 + 1e-9), low, low_cut
        )
        assert end == 200
        np.testing.assert_array_equal(low[k : end + 1], out[k : end + 1])
        before, start = out, cut


def test_many_numbers_have_the_same_bits_for_any_number_of_threads(rng: np.random.Generator) -> None:
    x = rng.normal(size=200_000)
    with threadpool_limits(1):
        one = best_line_clusters(x, 3)
    other = best_line_clusters(x, 3)
    np.testing.assert_array_equal(one.labels, other.labels)
    # The quantiser of a normal variable with three levels (Max, 1960) has the mean square error 0.1902.
    assert one.inertia / len(x) == pytest.approx(0.1902, abs=0.003)


def test_a_table_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 1e-6)
    with pytest.raises(MemoryError, match="table of cuts of 500 numbers into 20 groups"):
        best_line_clusters(np.arange(500.0), 20)
