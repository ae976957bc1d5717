"""Many rows at one place: a mark as large as they are many, and a sentence that says so."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import PathCollection

import empirisk as er
from empirisk.plots.stacks import stacked


@pytest.fixture
def bits(rng: np.random.Generator) -> Any:
    answers = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    return np.repeat(answers, [20, 30, 40, 60], axis=0)[rng.permutation(150)]


def words(ax: Any) -> str:
    return " ".join([ax.get_xlabel(), *(t.get_text() for t in ax.texts)])


def areas(ax: Any) -> list[float]:
    """Return the areas of all marks but the crosses of centres, in rising order."""
    dots = [c for c in ax.collections if isinstance(c, PathCollection)]
    sizes = [s for c in dots for s in np.broadcast_to(c.get_sizes(), len(c.get_offsets()))]
    return sorted(float(s) for s in sizes if s != 90.0)


def test_the_four_dots_of_zeros_and_ones_tell_their_rows(bits: Any) -> None:
    model = er.Mixture(2, family="bernoulli", random_state=0).fit(bits)
    ax = model.plot(bits).axes
    found = areas(ax)
    assert len(found) == 4
    counts = np.array([20.0, 30.0, 40.0, 60.0])
    slope = np.diff(found) / np.diff(counts)
    np.testing.assert_allclose(slope, slope[0], rtol=1e-9)
    assert "larger marks: more rows at one place, up to 60" in words(ax)
    assert "up to 60" in model._chart(bits).description


def test_every_picture_of_rows_says_what_large_marks_are(bits: Any) -> None:
    y = bits[:, 0] + 2.0 * bits[:, 1]
    lines = er.RegressionMixture(1).fit(bits, y + 0.1 * (np.arange(150) % 2))
    charts = [
        er.KMeans(2).fit(bits).plot(bits),
        er.GaussianMixture(1, ridge=0.1).fit(bits).plot(bits),
        er.PCA(2).fit(bits).plot(bits),
        lines.plot(bits, y),
        er.SpectralClustering(2, affinity="gaussian").fit(bits).plot_graph(bits),
    ]
    for ax in (chart.axes for chart in charts):
        assert "larger marks: more rows at one place, up to 60" in words(ax), ax.get_title(loc="left")
        assert len(areas(ax)) <= 4


def test_each_row_has_its_mark_where_places_are_many(rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(size=(60, 2)), np.zeros((5, 2))])
    assert "larger" not in words(er.KMeans(2).fit(X).plot(X).axes)


def test_marks_are_counted_as_a_counter_does(rng: np.random.Generator) -> None:
    rows = [[float(a), float(b), int(k)] for a, b, k in rng.integers(0, 3, size=(200, 3))]
    marks, said = stacked(rows)
    counted = Counter(map(tuple, rows))
    assert {tuple(m[:3]): m[3] for m in marks} == dict(counted)
    assert [m[3] for m in marks] == sorted((m[3] for m in marks), reverse=True)
    assert said.endswith(f"up to {max(counted.values())}")
    assert stacked([]) == ([], "")
