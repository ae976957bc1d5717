"""What the bounds refuse, and what they say where numbers are extreme."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scipy import special

import empirisk as er
from empirisk.bounds.calculator import evaluate_bound


@pytest.mark.parametrize("given", [5, er.hypotheses.Halfspaces, "half-spaces"])
def test_a_class_is_asked_for_by_name(given: Any) -> None:
    with pytest.raises(TypeError, match="hypotheses must be a class such as"):
        er.bounds.vc_uniform(n=100, delta=0.05, hypotheses=given)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-9])
@pytest.mark.parametrize("n", [10**12, 10**14, 10**16, 10**18])
def test_clopper_pearson_of_very_many_rows_is_nearly_normal(n: int, delta: float, rate: float) -> None:
    found = er.bounds.clopper_pearson(n=n, delta=delta, rate=rate).epsilon
    normal = -special.ndtri(delta / 2.0) * (rate * (1.0 - rate) / n) ** 0.5
    assert normal * (1.0 - 1e-4) <= found <= normal * (1.0 + 1e-4)
    assert er.bounds.clopper_pearson(n=n, epsilon=found, rate=rate).delta == pytest.approx(delta, rel=1e-3)


def test_a_number_that_takes_no_rows_is_not_said_to_need_them() -> None:
    with pytest.raises(ValueError, match="solves for nothing"):
        evaluate_bound(er.bounds.REGISTRY, "kmeans_plus_plus", [])


def test_a_range_of_losses_has_no_error_rate() -> None:
    shown = str(er.bounds.sample_sizes(classes=100, loss_range=5.0, epsilon=0.5, delta=0.05))
    assert "mean loss" in shown
    assert "error rate" not in shown


@pytest.mark.parametrize("delta", [1e-320, 1e-305])
def test_a_failure_that_numbers_cannot_hold_is_refused(delta: float) -> None:
    with pytest.raises(ValueError, match="delta must be at least 1e-300"):
        er.bounds.hoeffding(n=5, delta=delta)
    with pytest.raises(ValueError, match="delta / candidates must be at least 1e-300"):
        er.bounds.hoeffding(n=5, delta=1e-290, candidates=10**15)
    assert er.bounds.hoeffding(n=5, delta=1e-299).epsilon == pytest.approx(
        ((math.log(2) + 299 * math.log(10)) / 10) ** 0.5
    )


def test_nothing_is_promised_with_certainty() -> None:
    for given in ({"n": 10**9, "epsilon": 0.1}, {"n": 10**3, "epsilon": 0.15}, {"n": 9, "delta": 1e-20}):
        found = er.bounds.hoeffding(**given)
        assert found.delta is not None
        assert found.delta > 0.0
        assert "100 %" not in str(found)
        assert "With probability at least 1 - " in found.claim
    assert er.bounds.hoeffding(n=10**9, epsilon=0.1).delta == 1e-300
    assert "at least 95 %" in er.bounds.hoeffding(n=9, delta=0.05).claim


def test_one_row_is_a_row() -> None:
    claim = er.bounds.clopper_pearson(n=1, delta=0.1, rate=0.0).claim
    assert claim.endswith("observed on 1 row.")
    assert er.bounds.hoeffding(n=1, delta=0.9).claim.count("1 row ") == 1
    for n in (11, 1001, 21):
        assert f"{n:,} rows" in er.bounds.hoeffding(n=n, delta=0.1).claim


def test_a_class_may_have_any_number_of_members_but_none() -> None:
    for size in (0, -2):
        with pytest.raises(ValueError, match=f"hypotheses must be at least 1, got {size}"):
            er.bounds.finite_realizable(n=5, delta=0.1, hypotheses=size)
    found = er.bounds.finite_realizable(n=10**5, delta=0.1, hypotheses=2**5000)
    assert found.epsilon == pytest.approx((5000 * math.log(2) + math.log(10)) / 10**5)


@pytest.mark.parametrize("vc", [0, -3, 10**8])
def test_a_vc_dimension_out_of_range_gets_one_sentence(vc: int) -> None:
    with pytest.raises(ValueError, match=r"vc must lie between 1 and 1e\+07, got"):
        er.bounds.sample_sizes(vc=vc)
