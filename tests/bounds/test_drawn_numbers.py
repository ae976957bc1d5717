"""Theorems at drawn sample sizes and confidences: there and back again, and monotone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance.test_bounds import NAMES, solve

rows = st.floats(1.0, 6.0).map(lambda power: int(10.0**power))
levels = st.floats(-9.0, -0.4).map(lambda power: 10.0**power)
drawn = settings(max_examples=8, deadline=None, derandomize=True)


@pytest.mark.parametrize("name", NAMES)
@drawn
@given(n=rows, delta=levels)
def test_epsilon_leads_back_to_the_fewest_rows(name: str, n: int, delta: float) -> None:
    there = solve(name, n=n, delta=delta)
    if there.vacuous:
        return
    back = solve(name, epsilon=there.epsilon, delta=delta)
    assert back.n <= n
    assert solve(name, n=back.n, delta=delta).epsilon == pytest.approx(there.epsilon, rel=1e-11)
    if back.n > 1:
        assert solve(name, n=back.n - 1, delta=delta).epsilon > there.epsilon


@pytest.mark.parametrize("name", NAMES)
@drawn
@given(n=rows, more=st.integers(1, 10**5), delta=levels, factor=st.floats(1e-6, 0.999))
def test_more_rows_and_less_confidence_allow_a_smaller_epsilon(
    name: str, n: int, more: int, delta: float, factor: float
) -> None:
    here = solve(name, n=n, delta=delta).epsilon
    assert solve(name, n=n + more, delta=delta).epsilon <= here * (1.0 + 1e-12)
    assert solve(name, n=n, delta=factor * delta).epsilon >= here * (1.0 - 1e-12)
