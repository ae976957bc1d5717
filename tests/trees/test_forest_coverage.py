"""The settings behind docs/maths/forest-coverage.md: what should cover does, what should not does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.coverage.forest import SETTINGS, STUDY
from bench.coverage.forest_samples import Setting
from bench.coverage.out_of_bag import absolute_risk
from bench.coverage.study import measure

ROOT = Path(__file__).parents[2]


def setting(group: str, what: str) -> Setting:
    return next(s for key, many in SETTINGS.items() if key.startswith(group) for s in many if s.what == what)


def test_new_values_are_covered() -> None:
    found = measure(setting("A new y", "100 rows, noise growing with a column"), 0.12, seed=1)
    for method in ("jackknife+", "leaves", "residuals"):
        assert 80.0 < found[method] < 98.0
    # What a constant width does to calm rows.
    assert found["jackknife+, calm"] > 95.0


def test_out_of_bag_risks_are_covered_where_the_tail_is_short() -> None:
    rounded = measure(
        setting("The out-of-bag risk", "squared error, 80 rows, y rounded to whole numbers"), 0.3, seed=1
    )
    # 45 samples at 94 per cent: four standard errors are 14 points.
    assert rounded["covered"] > 80.0
    assert rounded["covered"] + rounded["all below"] + rounded["all above"] == pytest.approx(100.0)
    # The noise alone has variance 1 + 1/12, the forest adds its own error.
    assert 1.3 < rounded["mean risk"] < 2.0


def test_absolute_risks_are_those_of_drawn_noise() -> None:
    noise = np.random.default_rng(0).lognormal(size=400_000) - np.exp(0.5)
    shifts = np.array([-3.0, -1.0, 0.0, 1.5, 4.0])
    drawn = [np.abs(noise - a).mean() for a in shifts]
    np.testing.assert_allclose(absolute_risk(shifts), drawn, atol=0.015)


def test_the_page_shows_what_was_measured() -> None:
    text = (ROOT / "docs" / "maths" / "forest-coverage.md").read_text(encoding="utf-8")
    for group, settings in SETTINGS.items():
        assert f"## {group}" in text
        for s in settings:
            assert f"| {s.what} |" in text, s.what
    made = STUDY.text(
        {"A new y, 90 %: 100 rows, noise even": {"samples": 3, "leaves": 91.24, "leaves, width": 4.126}}
    )
    assert "| 100 rows, noise even | 3 | 91.2 | 4.13 |" in made


@pytest.mark.slow
def test_the_expected_prediction_is_covered_with_enough_trees() -> None:
    calm = measure(setting("The expected", "100 rows, 1000 trees"), 0.7, seed=2)
    few = measure(setting("The expected", "400 rows, 50 trees"), 0.7, seed=2)
    assert 87.0 < calm["`interval`"] < 99.0
    assert few["mean"] < 87.0 < few["`interval`"] + 12.0
    assert few["mean of y"] < 90.0


@pytest.mark.slow
def test_the_bounds_of_the_vote_hold_as_often_as_they_say() -> None:
    found = measure(setting("Bounds", "150 rows, 15 trees"), 1.0, seed=3)
    held = [v for k, v in found.items() if k.endswith("holds")]
    assert len(held) == 3
    # 200 samples at 70 per cent: four standard errors are 13 points.
    assert np.min(held) > 57.0
