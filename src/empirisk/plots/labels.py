"""Where the words of a chart go: titles in lines that fit the figure, labels that do not overlap."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["in_lines", "move_apart", "room_of"]

LONGEST = 80  # characters of a word beyond which it is broken
EDGE = 4.0  # points that are kept free at the right of a title
HINTED = 1.04  # letters are rounded to pixels, and wider so where a figure is saved with fewer of them
AIR = 1.0  # points between two labels
ROUNDS = 60


def in_lines(words: str, fits: Callable[[str], bool]) -> str:
    """Return words in lines, each as long as fits; a sign of per cent stays with its number.

    Examples
    --------
    >>> in_lines("one two three", lambda line: len(line) <= 7), in_lines("a 26 %", lambda line: len(line) < 5)
    ('one two\\nthree', 'a\\n26 %')
    """
    lines: list[str] = []
    for word in re.split(" (?!%)", words):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and fits(longer):
            lines[-1] = longer
        else:
            lines += textwrap.wrap(word, LONGEST, break_on_hyphens=False) or [word]
    return "\n".join(lines)


def room_of(ax: Axes, own: bool) -> float:
    """Return how many pixels a title at the left of the axes may be wide.

    Parameters
    ----------
    ax : matplotlib Axes
        With everything drawn but the title.
    own : bool
        Whether the figure holds these axes alone and is laid out when it is drawn: the axes then begin where
        the words at their left end.  Other axes have the room above them.
    """
    edge = EDGE * ax.figure.dpi / 72.0
    if not own:
        return float(ax.bbox.width) / HINTED
    drawn = ax.get_tightbbox(for_layout_only=True)
    inset = 0.0 if drawn is None else max(0.0, float(ax.bbox.x0 - drawn.x0))
    return (float(ax.figure.bbox.width) - inset - 2.0 * edge) / HINTED


def move_apart(ax: Axes, labels: Sequence[Any]) -> None:
    """Move annotations up and down until none lies on another, and none under the axes or above them.

    Parameters
    ----------
    ax : matplotlib Axes
        With its limits set.
    labels : sequence of matplotlib Annotation
        Placed by points from where they belong, as :func:`empirisk.plots.display.on_end` returns them.

    Notes
    -----
    Labels that share a column are pushed apart in pairs, each by half of what they overlap, in the order of
    their heights; O(n^2) a round, and 60 rounds at most.
    """
    air = AIR * ax.figure.dpi / 72.0
    boxes = [label.get_window_extent() for label in labels]
    middle = [0.5 * (b.y0 + b.y1) for b in boxes]
    start = list(middle)
    half = [0.5 * (b.height + air) for b in boxes]
    order = sorted(range(len(labels)), key=lambda i: (middle[i], i))
    low, high = float(ax.bbox.y0), float(ax.bbox.y1)
    for _ in range(ROUNDS):
        moved = False
        for i in order:
            inside = min(max(middle[i], low + half[i]), high - half[i])
            moved, middle[i] = moved or inside != middle[i], inside
        for i, j in ((a, b) for k, a in enumerate(order) for b in order[k + 1 :]):
            lapped = half[i] + half[j] - (middle[j] - middle[i])
            if lapped > 1e-6 and boxes[i].x0 < boxes[j].x1 and boxes[j].x0 < boxes[i].x1:
                middle[i] -= 0.5 * lapped
                middle[j] += 0.5 * lapped
                moved = True
        if not moved:
            break
    for label, was, now in zip(labels, start, middle, strict=True):
        x, y = label.xyann
        label.xyann = (x, y + (now - was) * 72.0 / ax.figure.dpi)
