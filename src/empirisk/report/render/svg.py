"""A chart as inline SVG: coloured by CSS variables, with ids of its own, and the same bytes every time."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, cast

from empirisk.plots.display import Display
from empirisk.plots.palette import PALETTE
from empirisk.plots.style import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["inline_svg"]

_COLOUR = {role.light: f"var(--{name})" for name, role in PALETTE.items()}
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_FAMILY = re.compile(r"\s*font-family: [^;\"]*;?")


def inline_svg(display: Display, prefix: str) -> str:
    """Return the chart without its title, as an ``<svg>`` element to put into a page.

    Parameters
    ----------
    display : Display
        The chart.
    prefix : str
        Put before every id of the picture, so that ids are unique in a page with many.

    Notes
    -----
    Text stays text in the fonts of the page, and every colour is the CSS variable of its role, so the page
    decides between light and dark. The picture is hidden from screen readers: the page gives its description.
    """
    buffer = io.StringIO()
    with style():
        ax = display.axes()
        display.draw(ax)
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        cast("Figure", ax.figure).savefig(buffer, format="svg", metadata=nothing)
    svg = buffer.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = svg[svg.index("<svg") :]
    # Only tags are rewritten: a column may be called "#1c1e21" or "url(#a)".
    svg = re.sub(r"<[^>]+>", lambda tag: _tag(tag[0], prefix), svg)
    return re.sub(r">\s+<", "><", svg).strip()


def _tag(tag: str, prefix: str) -> str:
    if tag.startswith("<svg"):
        box = re.search(r'viewBox="([^"]+)"', tag)
        return f'<svg viewBox="{box[1] if box else ""}" aria-hidden="true" focusable="false">'
    tag = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', tag)
    tag = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", tag)
    tag = re.sub(r'(?:xlink:)?href="#([^"]+)"', rf'href="#{prefix}-\1"', tag)
    tag = re.sub(r"#[0-9a-f]{6}\b", lambda m: _COLOUR.get(m[0], m[0]), tag)
    tag = _FAMILY.sub("", re.sub(r' transform="rotate\(-0 [^"]*"', "", tag))
    return _NUMBER.sub(lambda m: f"{float(m[0]):.2f}", tag).replace(" \n", " ")
