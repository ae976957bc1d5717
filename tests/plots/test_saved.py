"""A chart that is saved suits every page: opaque, no area over its rows, percents in one style."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.lines import Line2D
from matplotlib.text import Text

from empirisk.plots.display import Display
from empirisk.plots.style import colour
from tests.plots.test_displays import DISPLAYS, NAMED


@pytest.mark.parametrize("display", DISPLAYS, ids=NAMED)
def test_a_saved_chart_is_opaque_hides_no_row_and_has_one_style_of_percents(display: Display) -> None:
    file = io.BytesIO()
    ax = display.plot().axes
    ax.figure.savefig(file, format="png", dpi=40)
    file.seek(0)
    cells = imread(file)
    assert cells.shape[2] == 3 or (cells[:, :, 3] == 1.0).all()
    corners = cells[[0, 0, -1, -1], [0, -1, 0, -1], :3]
    np.testing.assert_allclose(corners, [to_rgb(colour("paper"))] * 4, atol=0.5 / 255)
    drawn = sorted(ax.get_children(), key=lambda artist: artist.get_zorder())
    areas = [i for i, artist in enumerate(drawn) if isinstance(artist, PolyCollection)]
    rows = [i for i, artist in enumerate(drawn) if _marks(artist)]
    assert not areas or not rows or max(areas) < min(rows)
    for said in [display.title, display.description, *(t.get_text() for t in ax.figure.findobj(Text))]:
        assert not re.search(r"[\d.]%|\n%", said), said


def _marks(artist: Any) -> bool:
    """Whether an artist is rows, one mark each: a scatter, or a line with marks."""
    lined = isinstance(artist, Line2D) and artist.get_marker() not in ("None", "", None)
    return lined or isinstance(artist, PathCollection)


def test_a_figure_that_is_given_keeps_its_paper() -> None:
    figure = Figure(facecolor="#ffeedd")
    DISPLAYS[0].plot(figure.add_subplot())
    np.testing.assert_allclose(figure.get_facecolor()[:3], to_rgb("#ffeedd"))
