"""The settings behind docs/maths/process-coverage.md: what should cover does, what should not does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.coverage.forest_samples import Setting
from bench.coverage.processes import SETTINGS, STUDY, drawn, growing, heavy
from bench.coverage.study import measure
from empirisk.kernels import Gaussian

PAGE = Path(__file__).parents[2] / "docs" / "maths" / "process-coverage.md"


def setting(group: str, what: str) -> Setting:
    return next(s for key, many in SETTINGS.items() if key.startswith(group) for s in many if s.what == what)


def test_calibrated_bands_cover_where_plain_ones_do_not() -> None:
    found = measure(setting("A new y, 90", "the same, kernel given, nothing learned, 50 rows"), 0.2, seed=1)
    # The variance of a new y given the rows is nine times what the model has: 1.645 / 3 deviations hold 42 %.
    assert found["plain"] < 50.0
    # 30 samples with a standard error of 0.9 points: four are 4 points.
    assert 85.0 < found["calibrated"] < 95.0


def test_bands_of_the_right_model_cover() -> None:
    found = measure(setting("A new y, 90", "kernel and noise right, 50 rows"), 0.2, seed=1)
    for name in ("plain", "calibrated"):
        assert 84.0 < found[name] < 94.0
        # Bands that know f are 2 * 1.645 * 0.3 wide.
        assert 0.95 < found[f"{name}, width"] < 1.25


def test_functions_and_noise_have_the_laws_that_the_page_says() -> None:
    rng = np.random.default_rng(0)
    x = np.array([0.1, 0.2, 0.9])
    kernel = Gaussian(length_scale=0.2)
    many = np.array([drawn(kernel, x, rng) for _ in range(20_000)])
    np.testing.assert_allclose(many.T @ many / 20_000, kernel.block(x[:, None]), atol=0.04)
    places = np.full(400_000, 0.5)
    assert np.std(growing(places, rng)) == pytest.approx(0.4, rel=0.01)
    # A t3 variable has no fourth moment: its median of squares is known instead, 0.7649^2 / 3 of 0.09.
    assert np.median(heavy(places, rng) ** 2) == pytest.approx(0.09 / 3.0 * 0.764892**2, rel=0.02)


def test_the_page_shows_what_was_measured() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == STUDY.text(STUDY.stored())
    for group, settings in SETTINGS.items():
        assert f"## {group}" in text
        for s in settings:
            assert f"| {s.what} | {s.samples} |" in text, s.what


@pytest.mark.slow
def test_the_noise_has_an_interval_that_covers() -> None:
    found = measure(setting("Noise", "noise normal, 50 rows"), 1.0, seed=2)
    # 150 samples at 95 per cent: four standard errors are 7 points.
    for method in ("wald", "profile"):
        assert found[f"noise by {method}"] > 88.0
    long = measure(setting("Noise", "noise t3, 150 rows"), 0.5, seed=2)
    assert long["noise by wald"] < 80.0
