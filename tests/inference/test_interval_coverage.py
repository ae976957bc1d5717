"""The settings behind docs/maths/inference-coverage.md: what should cover does, what should not does not."""

from __future__ import annotations

import pytest
from scipy import stats

from bench.coverage.inference import SETTINGS, measure, page

BY_NAME = {s.what: s for settings in SETTINGS.values() for s in settings}

# Setting, interval, and whether theory says that it covers 95 %.
COVERS = [
    ("slope, 50 rows, noise normal", "classical", True),
    ("slope, 50 rows, noise normal", "HC3", True),
    ("slope, 50 rows, noise grows with |x|", "classical", False),
    ("slope, 200 rows, noise grows with |x|", "HC3", True),
    ("slope between 8 groups of 10", "classical", False),
    ("slope between 20 groups of 10", "cluster", True),
    ("least squares, 15 rows, normal noise", "mean", True),
    ("least squares, 15 rows, normal noise", "new target", True),
    ("gamma, 200 rows", "new target", True),
    ("binomial, 200 rows", "mean", True),
]


@pytest.mark.parametrize("scale", [0.1, pytest.param(1.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("what", "interval", "right"), COVERS, ids=lambda v: str(v))
def test_coverage(what, interval, right, scale):
    found = measure(BY_NAME[what], scale, seed=1)
    answered = int(found["samples"] - found["refused"])
    hits = round(found[interval] * answered / 100.0)
    p = stats.binomtest(hits, answered, 0.95, alternative="two-sided" if right else "less").pvalue
    # Robust intervals are asymptotic: 3 percentage points below 95 are allowed them by a weaker test.
    least = stats.binomtest(hits, answered, 0.92, alternative="less").pvalue
    assert (p > 1e-3 or (interval in ("HC3", "cluster", "new target", "mean") and least > 1e-2)) == right


def test_the_page_has_a_row_for_every_setting():
    rows = {s.what: {"samples": 10, "refused": 0, "classical": 95.0} for s in BY_NAME.values()}
    text = page(rows)
    assert all(what.replace("|", "\\|") in text for what in BY_NAME)
