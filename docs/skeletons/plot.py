"""Errors against the share of rows: a copy-me file for a chart.

Copy to src/empirisk/plots/<name>.py, one Display a file, and add one row to DISPLAYS in
src/empirisk/plots/__init__.py.  A Display takes results, says its message in the title, draws on Axes and
computes nothing; its colours are roles of the palette, the same for the same thing everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, band, on_end
from empirisk.plots.style import colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ErrorsDisplay"]


@dataclass(frozen=True)
class ErrorsDisplay(Display):
    """How large the errors are: the share of rows with an error of at most x, with its band.

    Parameters
    ----------
    curve : dict
        ``x`` (sizes of errors), ``value`` (shares), ``low`` and ``high`` (the band, or None), ``n``.
    unit : str
        Unit of the target.
    """

    curve: Json
    unit: str = ""

    @property
    def title(self) -> str:
        half = next((x for x, v in zip(self.curve["x"], self.curve["value"], strict=True) if v >= 0.5), None)
        if half is None:
            return "More than half of the errors are larger than the chart shows"
        return f"Half of the rows have an error of at most {half:g} {self.unit}".rstrip()

    @property
    def description(self) -> str:
        return f"Share of {self.curve['n']:,} test rows against the size of the error. {self.title}."

    def draw(self, ax: Axes) -> None:
        band(ax, self.curve["x"], self.curve, "test")
        on_end(ax, self.curve["x"][-1], self.curve["value"][-1], "test rows", "test", ha="right", va="bottom")
        ax.axhline(0.5, color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        ax.set_ylim(0.0, 1.02)
        ax.set_xlabel(f"size of the error ({self.unit})" if self.unit else "size of the error")
        ax.set_ylabel("share of rows")
