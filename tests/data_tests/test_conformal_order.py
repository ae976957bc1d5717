"""The order statistic of conformal prediction against exact fractions and its definition."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from empirisk.data.conformal_order import (
    conformal_rank,
    mass_below,
    needed_mass,
    rows_needed,
    upper_end,
)

LEVELS = ["0.35", "0.5", "0.7", "0.8", "0.9", "0.95", "0.99"]


def by_definition(values: list[int], weights: list[int], own: int, level: str) -> float:
    """The smallest value with enough weight at or below it, in exact arithmetic."""
    need = Fraction(level) * (sum(weights) + own)
    for v in sorted(set(values)):
        if sum(w for u, w in zip(values, weights, strict=True) if u <= v) >= need:
            return float(v)
    return math.inf


@pytest.mark.parametrize("level", LEVELS)
def test_rows_needed_is_the_fewest_that_have_a_rank(level: str) -> None:
    need = rows_needed(float(level))
    assert need == math.ceil(Fraction(level) / (1 - Fraction(level)))
    assert conformal_rank(need, float(level)) <= need < conformal_rank(need - 1, float(level)) + 1


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("level", LEVELS)
def test_the_end_is_that_of_the_definition(level: str, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    for n in (1, 3, 9, 10, 19, 40):
        values = rng.integers(0, max(2, n // 2), size=n)  # with ties
        weights = rng.integers(0, 4, size=n) if weighted else np.ones(n, dtype=int)
        for own in (1, 3) if weighted else (1,):
            exact = by_definition(values.tolist(), weights.tolist(), own, level)
            given = weights.astype(float) if weighted else None
            assert upper_end(values.astype(float), float(level), given, own) == exact
            assert upper_end(
                values[None, :].astype(float), float(level), given, np.full(1, own)
            ).tolist() == [exact]


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
def test_equal_weights_of_any_size_change_nothing(level: float) -> None:
    values = np.random.default_rng(1).normal(size=(3, 29))
    plain = upper_end(values, level)
    for unit in (1e-200, 1e-3, 7.0, 1e200):
        assert np.array_equal(plain, upper_end(values, level, np.full(29, unit), np.full(3, unit)))


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
def test_a_value_is_inside_when_little_lies_below_it(level: float) -> None:
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 12, size=30).astype(float)
    weight = rng.integers(1, 4, size=30).astype(float)
    candidates = np.arange(-1.0, 14.0)[:, None]
    for w in (None, weight):
        bound = upper_end(scores, level, w)
        need = needed_mass(np.ones(30) if w is None else w, 1.0, level)
        assert np.array_equal(mass_below(scores, candidates, w) < need, candidates <= bound)


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, math.nan])
def test_levels_lie_between_0_and_1(level: float) -> None:
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1"):
        conformal_rank(50, level)
