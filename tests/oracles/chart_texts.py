"""The texts of a drawn chart by their boxes: which leave the figure, and which lie on each other."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.text import Text

SLACK = 1.5  # points: boxes hold the room of ascenders and descenders, which most words do not fill


def texts_of(ax: Any) -> list[tuple[str, np.ndarray]]:
    """Return every text that is drawn with some Axes, with the lower and the upper corner of its box."""
    figure = ax.figure
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    hidden = {id(label) for axis in (ax.xaxis, ax.yaxis) for label in _out_of_view(axis)}
    found = []
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and id(text) not in hidden:
            box = text.get_window_extent(renderer)
            found.append((text.get_text(), np.array([[box.x0, box.y0], [box.x1, box.y1]])))
    return found


def _out_of_view(axis: Any) -> list[Any]:
    """Return the labels of ticks beyond the limits of an axis, which are not drawn."""
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    at = axis.get_transform().transform([*axis.get_view_interval(), *(t.get_loc() for t in ticks)])
    (low, high), slack = sorted(at[:2]), 1e-9 * abs(at[1] - at[0])
    out = [t for t, x in zip(ticks, at[2:], strict=True) if not low - slack <= x <= high + slack]
    return [label for t in out for label in (t.label1, t.label2)]


def faults(ax: Any) -> list[str]:
    """Return in words which texts leave the figure or lie on each other."""
    found = texts_of(ax)
    size = ax.figure.bbox
    slack = SLACK * ax.figure.dpi / 72.0
    wrong = []
    for said, (low, high) in found:
        if low.min() < -slack or high[0] > size.width + slack or high[1] > size.height + slack:
            wrong.append(f"{said!r} leaves the figure")
        if "\\math" in said:
            wrong.append(f"{said!r} is a formula that no reader can read")
    for (one, a), (other, b) in combinations(found, 2):
        deep = np.minimum(a[1], b[1]) - np.maximum(a[0], b[0])
        if (deep > 2.0 * slack).all():
            wrong.append(f"{one!r} lies on {other!r}")
    return wrong
