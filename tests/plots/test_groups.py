"""Cluster k has one colour in every chart, whichever draws it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex

import empirisk as er
from empirisk import plots
from empirisk.plots.groups import hue_of, mark_of, numbers_of, sign_of

N = 8  # more clusters than colours


@pytest.fixture
def rows(rng: np.random.Generator) -> Any:
    corners = np.array([[20.0 * i, 15.0 * j] for i in range(4) for j in range(2)])
    return np.concatenate([c + rng.normal(size=(9, 2)) for c in corners])


def scattered(ax: Any) -> dict[int, str]:
    """Return the colour of the rows 9 k to 9 k + 8 by k, from the places of the marks."""
    found = {}
    for drawn in ax.collections:
        x, y = np.asarray(drawn.get_offsets()).T
        if len(x) == 9:  # one cluster, not the centres
            found[2 * round(x.mean() / 20.0) + round(y.mean() / 15.0)] = to_hex(drawn.get_facecolor()[0])
    return found


def test_cluster_k_has_one_colour_in_every_chart(rows: Any) -> None:
    expected = {k: hue_of(k) for k in range(N)}
    model = er.AgglomerativeClustering(N).fit(rows)
    assert scattered(model.plot(rows).axes) == expected
    mixture = er.GaussianMixture(N, covariance="spherical", ridge=1e-3, random_state=0).fit(rows)
    assert (mixture.predict(rows) == model.labels_).all()
    ax = mixture.plot(rows).axes
    assert scattered(ax) == expected
    lines = [to_hex(line.get_color()) for line in ax.lines if len(line.get_xdata()) > 9]
    assert lines == [hue for k in range(N) for hue in [expected[k]] * 2], "ellipses"
    bars = plots.SilhouettesDisplay(
        er.partitions.Silhouette().rows(rows, model.labels_), model.labels_
    ).plot()
    assert [to_hex(c.get_facecolor()[0]) for c in bars.axes.collections] == list(expected.values())
    tree = model.dendrogram(max_leaves=100)
    shown = {leaf["cluster"] for leaf in tree.view["leaves"]}
    drawn = [to_hex(line.get_color()) for line in tree.plot().axes.lines[: len(tree.view["links"])]]
    assert shown == set(expected)
    assert drawn == [hue_of(link[-1]) for link in tree.view["links"]]
    said = [to_hex(t.get_color()) for t in tree.plot().axes.get_xticklabels()]
    assert said == [hue_of(leaf["cluster"]) for leaf in tree.view["leaves"]]
    names = [str(k) for k in range(N)]
    profile = plots.ClusterProfileDisplay([{"label": "a", "distances": list(range(N))}], names).plot()
    dots = [to_hex(line.get_color()) for line in profile.axes.lines if line.get_marker() in "o^sDvP"]
    assert dots == list(expected.values())


def test_silhouettes_leave_the_colours_of_clusters_that_are_absent(rng: np.random.Generator) -> None:
    display = plots.SilhouettesDisplay([0.5, 0.4, np.nan, np.nan, 0.2, 0.1, -0.1], [0, 0, 1, 1, 2, 2, -1])
    hues = [to_hex(c.get_facecolor()[0]) for c in display.plot().axes.collections]
    assert hues == [hue_of(-1), hue_of(0), hue_of(2)]


def test_marks_go_on_where_colours_begin_again() -> None:
    told = {(hue_of(k), mark_of(k)) for k in range(36)}
    assert len(told) == 36
    assert len({sign_of(k) for k in range(-1, 6)}) == 7
    assert numbers_of(["b", "c"]) == [0, 1]
