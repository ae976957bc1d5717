"""Simulated coverage of the bootstrap: what the published table says is found again with other seeds."""

from __future__ import annotations

import json
import math

import pytest

from bench.coverage.bootstrap import METHODS, PAGE, SETTINGS, STORE, Setting, measure, page

BY_NAME = {s.what: s for s in SETTINGS}
PUBLISHED = json.loads(STORE.read_text(encoding="utf-8"))


def compare(setting: Setting, scale: float) -> None:
    """Both measurements agree within five standard errors of their difference."""
    found, said = measure(setting, scale, seed=1), PUBLISHED[setting.what]
    for method in (m for m in (*METHODS, "analytic") if m in said):
        p = said[method] / 100.0
        error = 100.0 * math.sqrt(p * (1.0 - p) * (1.0 / found["samples"] + 1.0 / said["samples"]))
        assert abs(found[method] - said[method]) <= 5.0 * error + 1e-9, method


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.what)
def test_the_published_table(setting: Setting) -> None:
    compare(setting, 0.5)


@pytest.mark.full  # simulated
@pytest.mark.parametrize(
    "what", ["mean, exponential, 20 rows", "median, exponential, 30 rows", "mean, lognormal, 20 groups of 5"]
)
def test_a_few_settings_with_fewer_samples(what: str) -> None:
    compare(BY_NAME[what], 0.1)


def test_the_page_shows_the_stored_numbers() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(PUBLISHED)


def test_what_the_documentation_recommends() -> None:
    # The studentised method holds its level where it exists; the exact percentile and BCa do for medians.
    for what, r in PUBLISHED.items():
        if what.startswith("median"):
            assert min(r["percentile"], r["bca"]) >= 93.0
            assert max(r["basic"], r["normal"]) < 93.0
        else:
            assert r["studentised"] >= max(r[m] for m in METHODS if m != "studentised") - 0.5
