"""A drawn chart shows itself in a notebook, is saved whole or not at all, and shares a figure."""

from __future__ import annotations

import base64
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

import empirisk as er
from empirisk.plots import Plot
from tests.plots.test_displays import DISPLAYS

DISPLAY = DISPLAYS[0]


@pytest.fixture
def plot() -> Plot:
    return DISPLAY.plot()


def test_a_notebook_gets_a_sharp_picture_with_words_for_who_cannot_see_it(plot: Plot, tmp_path: Path) -> None:
    told, about = plot._repr_mimebundle_()
    (tmp_path / "shown.png").write_bytes(told["image/png"])
    size = about["image/png"]
    assert imread(tmp_path / "shown.png").shape[:2] == (2 * size["height"], 2 * size["width"])
    assert DISPLAY.title.rstrip(".") in size["alt"]
    assert DISPLAY.description.rstrip(".") in size["alt"]
    assert told["text/plain"] == repr(plot)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "SVG"])
def test_a_file_has_the_format_of_its_ending(plot: Plot, ending: str, tmp_path: Path) -> None:
    path = plot.save(tmp_path / f"chart.{ending}")
    start = path.read_bytes()[:300]
    if ending.lower() == "svg":
        assert ET.parse(path).getroot().tag.endswith("svg")
    else:
        assert start[1:4] == {"png": b"PNG", "pdf": b"PDF"}[ending]
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["chart", "chart.xyz"])
def test_an_ending_that_is_no_format_is_refused_with_those_that_are(
    plot: Plot, name: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"path must end in a format.*known are .*png"):
        plot.save(tmp_path / name)


def test_a_file_that_fails_leaves_the_one_before(
    plot: Plot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = plot.save(tmp_path / "chart.png")
    before = path.read_bytes()

    def broken(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(plot.figure, "savefig", broken)
    with pytest.raises(KeyboardInterrupt):
        plot.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_charts_share_the_figure_of_a_user() -> None:
    left, right = Figure(figsize=(11, 4)).subplots(1, 2)
    first = DISPLAY.plot(left)
    assert DISPLAYS[1].plot(ax=right).figure is first.figure
    assert DISPLAY.plot(ax=first).axes is left
    assert first.figure.get_axes() == [left, right]


@pytest.mark.parametrize("ax", [Figure(), Figure().subplots(1, 2), "left", 1])
def test_what_are_no_axes_is_refused(ax: Any) -> None:
    with pytest.raises(TypeError, match=f"ax must be the Axes to draw on.*{type(ax).__name__}"):
        DISPLAY.plot(ax)


def test_a_figure_of_pyplot_is_left_to_pyplot_so_that_nothing_is_shown_twice() -> None:
    code = (
        "import matplotlib; matplotlib.use('agg')\n"
        "import matplotlib.pyplot as plt\n"
        "from tests.plots.test_displays import DISPLAYS\n"
        "ours, theirs = DISPLAYS[0].plot(), DISPLAYS[0].plot(plt.figure().add_subplot())\n"
        "assert list(ours._repr_mimebundle_()[0]) == ['image/png', 'text/plain']\n"
        "assert list(theirs._repr_mimebundle_()[0]) == ['text/plain']\n"
        "plt.close('all')\n"
        "assert list(theirs._repr_mimebundle_()[0]) == ['image/png', 'text/plain']\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_outside_of_notebooks_a_viewer_is_opened(plot: Plot, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: bool(opened.append(address)) or True)
    plot.show()
    assert opened[0].startswith("file://")
    assert np.isfinite(imread(Path(opened[0].removeprefix("file://")))).all()
    Path(opened[0].removeprefix("file://")).unlink()
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    with pytest.raises(RuntimeError, match=r"no viewer of pictures was found.*\.save"):
        plot.show()


def test_marimo_gets_a_picture_with_words() -> None:
    # Its order: _display_, its own formatters, _mime_ (two strings), then _repr_*_ (docs.marimo.io).
    X = np.random.default_rng(0).normal(size=(30, 2))
    plot = er.path(er.Lasso(), X, X[:, 0]).plot()
    kind, page = plot._mime_()
    image = ET.fromstring(page)
    assert (kind, image.tag) == ("text/html", "img")
    assert plot.title.rstrip(".") in image.attrib["alt"]
    data = base64.b64decode(image.attrib["src"].removeprefix("data:image/png;base64,"))
    assert data.startswith(b"\x89PNG")
    assert int(image.attrib["width"]) * 2 == int.from_bytes(data[16:20], "big")
