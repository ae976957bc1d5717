"""Numbers out of all proportion: what they are, how often heavy tails make them, and the ends of a range."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from empirisk.data.far_apart import far_apart

LAWS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "exponential": lambda rng, n: rng.exponential(size=n),
    "lognormal": lambda rng, n: np.exp(rng.normal(size=n)),
    "t3": lambda rng, n: rng.standard_t(3, size=n),
    "normal": lambda rng, n: rng.normal(size=n),
}


@pytest.mark.parametrize("n", [50, 200, 1000, 10_000])
@pytest.mark.parametrize("law", LAWS)
def test_ordinary_heavy_tails_have_no_far_numbers(law: str, n: int) -> None:
    """The largest rate was 0.05 % (t3, of 2,000 samples), so that 3 of 400 come once in a thousand runs."""
    rng = np.random.default_rng(n)
    samples = 400 if n < 10_000 else 100
    found = 0
    for _ in range(samples):
        x = LAWS[law](rng, n)
        found += far_apart(np.abs(x - np.median(x))).size > 0
    assert found <= 2


@pytest.mark.parametrize("k", [1, 2, 3])
def test_up_to_three_far_numbers_are_found_at_any_scale(k: int, rng: np.random.Generator) -> None:
    x = np.abs(rng.normal(size=100))
    x[:k] = 1e6 * (1.0 + np.arange(k))
    for scale in (1e-290, 1.0, 1e300):
        assert sorted(far_apart(scale * x)) == list(range(k))


def test_a_number_is_not_far_among_few_or_beside_nothing_and_four_are_a_group() -> None:
    assert far_apart(np.append(np.ones(19), 1e9)).size == 0
    assert far_apart(np.append(np.zeros(100), 1e9)).size == 0
    assert far_apart(np.zeros(100)).size == 0
    assert far_apart(np.append(np.ones(100), np.full(4, 1e9))).size == 0
    # 20 times as far, but a small part of the squares of so many rows.
    assert far_apart(np.append(np.ones(1000), 21.0)).size == 0
