"""The settings behind docs/maths/forest-coverage.md: what should cover does, what should not does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.coverage.forest import SETTINGS, Setting, measure, page

ROOT = Path(__file__).parents[2]


def setting(group: str, what: str) -> Setting:
    return next(s for key, many in SETTINGS.items() if key.startswith(group) for s in many if s.what == what)


def test_new_values_are_covered() -> None:
    found = measure(setting("A new y", "100 rows, noise growing with a column"), 0.12, seed=1)
    for method in ("jackknife+", "leaves", "residuals"):
        assert 80.0 < found[method] < 98.0
    # What a constant width does to calm rows.
    assert found["jackknife+, calm"] > 95.0


def test_the_page_shows_what_was_measured() -> None:
    text = (ROOT / "docs" / "maths" / "forest-coverage.md").read_text(encoding="utf-8")
    for group, settings in SETTINGS.items():
        assert f"## {group}" in text
        for s in settings:
            assert f"| {s.what} |" in text, s.what
    made = page(
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
