"""The one look of all charts: colours by their role, sizes of text, quiet axes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from empirisk.plots.palette import PALETTE

__all__ = ["FONT", "WIDTH", "colour", "style"]

WIDTH = 5.6  # inches; 72 points each, so that a figure is 403 points wide and keeps its text size on a phone
FONT = 11.5  # points


def colour(role: str) -> str:
    """Return the light colour of a role of the palette."""
    return PALETTE[role].light


@contextmanager
def style() -> Iterator[None]:
    """Return a context with the Matplotlib settings of this package, for the length of a ``with`` block."""
    import matplotlib as mpl

    with (
        warnings.catch_warnings(),
        mpl.rc_context(
            {
                "svg.fonttype": "none",
                "svg.hashsalt": "empirisk",
                "font.size": FONT,
                "axes.labelsize": FONT,
                "axes.titlesize": FONT + 1,
                "xtick.labelsize": FONT - 1,
                "ytick.labelsize": FONT - 1,
                "text.color": colour("ink"),
                "axes.labelcolor": colour("muted"),
                "axes.edgecolor": colour("muted"),
                "axes.facecolor": "none",
                "figure.facecolor": "none",
                "xtick.color": colour("muted"),
                "ytick.color": colour("muted"),
                "grid.color": colour("rule"),
                "axes.axisbelow": True,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.unicode_minus": True,
                "text.parse_math": False,
            }
        ),
    ):
        # Text stays text in SVG, where the reader's fonts have the glyphs that the drawing font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield
