"""What the bounds refuse, and what they say where numbers are extreme."""

from __future__ import annotations

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
