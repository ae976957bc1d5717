"""What the section on learning shows of a curve some sizes of which have no finite loss."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.report.sections.learning.curve import CURVE, collect_curve
from empirisk.selection import LearningCurve

WHY = "3 rows gave probability 0 to the class that occurred, so the loss is infinite"


@pytest.fixture(scope="module")
def curve() -> LearningCurve:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    return er.selection.learning_curve(
        er.Ridge(), X, X[:, 0] + rng.normal(size=200), repeats=1, random_state=0
    )


def collected(curve: LearningCurve, metrics: tuple[Any, ...] = ()) -> tuple[Any, dict[str, str]]:
    """Return the section's part and the reasons for what is absent."""
    absent: dict[str, str] = {}
    train = SimpleNamespace(n=curve.n)
    analysis = SimpleNamespace(
        curve=curve, model=SimpleNamespace(fitted=True), prepared=SimpleNamespace(train=train)
    )
    made = {"test": {"metrics": metrics}}
    material = SimpleNamespace(analysis=analysis, unit=None, absent=absent, made=made)
    return collect_curve(material), absent  # type: ignore[arg-type]


def infinite(curve: LearningCurve, sizes: int) -> LearningCurve:
    """Return the curve with an infinite loss at its first sizes, and nothing to carry on from."""
    lost = tuple(
        replace(e, value=math.inf, low=None, high=None, reason=WHY) if i < sizes else e
        for i, e in enumerate(curve.validation)
    )
    return replace(curve, validation=lost, last=None, reason="a loss is infinite")


def test_a_whole_curve_is_shown_with_what_twice_the_rows_would_give(curve: LearningCurve) -> None:
    found, absent = collected(curve)
    CURVE(found, "learning_curve")
    assert not absent
    assert found["x"] == [20, 40, 80, 160]
    assert found["extrapolation"]["n_rows"] == 400
    assert found["extrapolation"]["score"]["value"] == curve.extrapolate(2.0).loss[0].value


def test_the_end_of_the_curve_stands_beside_the_loss_of_the_test_rows(curve: LearningCurve) -> None:
    tested = {"value": 1.25, "low": 1.0, "high": 1.5, "level": 0.95, "n": 50, "method": "t"}
    sentence = collected(curve, ({"name": "mse", "model": tested}, {"name": "r2", "model": None}))[0][
        "sentence"
    ]
    end = curve.validation[-1].value
    assert f" The curve ends at {end:.2f}" in sentence
    assert "the test rows have 1.25 [1.00, 1.50]: other rows" in sentence
    assert "test rows" not in collected(curve, ({"name": "r2", "model": tested},))[0]["sentence"]


def test_sizes_with_an_infinite_loss_are_told_and_not_shown(curve: LearningCurve) -> None:
    found, absent = collected(infinite(curve, 2))
    CURVE(found, "learning_curve")
    assert not absent
    assert found["x"] == [80, 160]
    assert found["validation"]["value"] == [e.value for e in curve.validation[2:]]
    assert found["train"]["value"] == [e.value for e in curve.train[2:]]
    assert found["extrapolation"] is None
    assert found["sentence"] == (
        "What more rows would bring cannot be told: a loss is infinite. The mean squared error at 20 and 40"
        " training rows is infinite and not shown."
    )


def test_a_curve_with_one_finite_size_is_absent_with_its_reason(curve: LearningCurve) -> None:
    assert collected(infinite(curve, 3)) == (None, {"learning_curve": f"{WHY}."})
    short = replace(curve, sizes=curve.sizes[-1:], validation=curve.validation[-1:], train=curve.train[-1:])
    assert collected(short) == (
        None,
        {"learning_curve": "200 training rows are too few to take parts of them."},
    )
