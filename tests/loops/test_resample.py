"""The resampling loops against a NumPy twin, their distribution, and their bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from empirisk import _loops
from tests.loops.layouts import for_thread_counts, same_bits

Words = NDArray[np.uint64]
MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def splitmix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def rotate(x: Words, k: int) -> Words:
    return (x << np.uint64(k)) | (x >> np.uint64(64 - k))


class Stream:
    """Eight generators xoshiro256++ side by side."""

    def __init__(self, key: int, resample: int) -> None:
        base = splitmix((key + GOLDEN * splitmix((resample + GOLDEN) & MASK)) & MASK)
        words = [splitmix((base + GOLDEN * (i + 1)) & MASK) for i in range(32)]
        self.state = list(np.array(words, dtype=np.uint64).reshape(4, 8))

    def step(self) -> list[int]:
        """Return the next sixteen numbers of 32 bits."""
        a, b, c, d = self.state
        u = rotate(a + d, 23) + a
        t = b << np.uint64(17)
        c, d = c ^ a, d ^ b
        b, a = b ^ c, a ^ d
        self.state = [a, b, c ^ t, rotate(d, 45)]
        return [half for word in u.tolist() for half in (word & 0xFFFFFFFF, word >> 32)]


def twin_rows(starts: Any, draws: Any, key: int, first: int, count: int) -> NDArray[np.int64]:
    """Return the rows that resample_rows should write."""
    draws = np.broadcast_to(draws, (count, len(starts) - 1))
    out = []
    for b in range(count):
        stream, rows = Stream(key, first + b), []
        for s, wanted in enumerate(draws[b]):
            numbers: list[int] = []
            while len(numbers) < wanted:
                numbers += stream.step()
            size = int(starts[s + 1] - starts[s])
            rows += [int(starts[s]) + (u * size >> 32) for u in numbers[:wanted]]
        out.append(rows)
    return np.array(out, dtype=np.int64).reshape(count, -1)


def test_the_twin_is_xoshiro() -> None:
    # The published reference implementation, started at (1, 2, 3, 4), begins with these two numbers.
    stream = Stream(0, 0)
    stream.state = [np.full(8, k, dtype=np.uint64) for k in (1, 2, 3, 4)]
    first, second = stream.step(), stream.step()
    assert [first[0] | first[1] << 32, second[0] | second[1] << 32] == [41943041, 58720359]


CASES = {
    "one row": ([0, 1], [3]),
    "a few": ([0, 7], [7]),
    "whole steps": ([0, 32], [32]),
    "pieces of the buffer": ([0, 1300], [1300]),
    "strata": ([0, 5, 6, 40], [5, 1, 34]),
    "more draws than rows, and none": ([0, 3, 9], [20, 0]),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("key", "first"), [(0, 0), (2**64 - 1, 12345678901)])
def test_rows(case: str, key: int, first: int) -> None:
    starts, draws = (np.array(v, dtype=np.int64) for v in CASES[case])
    out = np.full((3, draws.sum()), -1, dtype=np.int64)
    _loops.resample_rows(starts, draws, key, first, out)
    assert np.array_equal(out, twin_rows(starts, draws, key, first, 3))


@pytest.mark.parametrize("cols", [1, 2, 3, 4, 5, 8, 11, 16, 27])
def test_sums(cols: int, rng: np.random.Generator) -> None:
    starts = np.array([0, 40, 530], dtype=np.int64)
    draws = rng.multinomial(530, [0.1, 0.9], size=9).astype(np.int64)
    X = rng.standard_normal((530, cols))
    got = _loops.resample_sums(X, starts, draws, 7, 3, 9)
    drawn = X[twin_rows(starts, draws, 7, 3, 9)]
    bound = 4 * 530 * np.finfo(float).eps * np.abs(drawn).sum(axis=1)
    assert np.all(np.abs(got - drawn.sum(axis=1)) <= bound)


def test_sums_convert_and_accept_empty(rng: np.random.Generator) -> None:
    starts, draws = np.array([0, 6]), np.array([6])
    X = np.asfortranarray(rng.integers(0, 9, (6, 3)).astype(np.float32))
    X.setflags(write=False)
    want = X[twin_rows(starts, draws, 1, 0, 4)].sum(axis=1)
    assert np.array_equal(_loops.resample_sums(X, starts, draws, 1, 0, 4), want)
    assert _loops.resample_sums(X, starts, draws, 1, 0, 0).shape == (0, 3)
    assert _loops.resample_sums(X[:, :0], starts, draws, 1, 0, 4).shape == (4, 0)


@pytest.mark.parametrize("cols", [1, 6])
def test_same_bits_for_any_number_of_threads(cols: int, rng: np.random.Generator) -> None:
    X = rng.standard_normal((2500, cols))
    starts, draws = np.array([0, 1000, 2500]), np.array([1000, 1500])

    def compute() -> tuple[Any, ...]:
        rows = np.empty((900, 2500), dtype=np.int64)
        _loops.resample_rows(starts, draws, 5, 0, rows)
        return _loops.resample_sums(X, starts, draws, 5, 0, 900), rows

    assert same_bits(for_thread_counts(compute))


def test_a_resample_does_not_depend_on_its_block() -> None:
    X = np.arange(50.0)[:, None]
    starts, draws = np.array([0, 50]), np.array([50])
    whole = _loops.resample_sums(X, starts, draws, 3, 0, 20)
    parts = [_loops.resample_sums(X, starts, draws, 3, first, 5) for first in (0, 5, 10, 15)]
    assert np.array_equal(whole, np.concatenate(parts))


def test_draws_are_uniform_and_independent() -> None:
    n, resamples = 10, 40_000
    rows = np.empty((resamples, n), dtype=np.int64)
    _loops.resample_rows(np.array([0, n]), np.array([n]), 11, 0, rows)
    # Chi-square over single draws, over neighbours in a resample, and over neighbouring resamples.
    pairs = {
        "single": (rows.ravel(), n),
        "in a resample": ((rows[:, 1:] * n + rows[:, :-1]).ravel(), n * n),
        "between resamples": ((rows[1::2] * n + rows[::2]).ravel(), n * n),
    }
    for name, (cells, k) in pairs.items():
        counts = np.bincount(cells, minlength=k)
        expected = cells.size / k
        statistic = float(np.sum((counts - expected) ** 2) / expected)
        assert abs(statistic - (k - 1)) < 5.0 * np.sqrt(2.0 * (k - 1)), name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"starts": np.array([0, 2, 2])}, "starts must rise"),
        ({"starts": np.array([1, 6])}, "begin with 0"),
        ({"starts": np.array([0.0, 6.0])}, "starts must be an int64 array"),
        ({"draws": np.array([3, 3])}, "draws must have shape"),
        ({"draws": np.array([-1])}, "draws must lie in"),
        ({"draws": np.array([[1], [2]]), "n_resamples": 2}, "same number of rows"),
        ({"X": np.ones((5, 1))}, "X has shape"),
        ({"first": -1}, "must not be negative"),
    ],
)
def test_wrong_arguments(change: dict[str, Any], message: str) -> None:
    good = {"X": np.ones((6, 1)), "starts": np.array([0, 6]), "draws": np.array([6])}
    call: dict[str, Any] = good | {"key": 0, "first": 0, "n_resamples": 1} | change
    with pytest.raises(ValueError, match=message):
        _loops.resample_sums(**call)
