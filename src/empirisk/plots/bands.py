"""Intervals of rows: a curve with its band along a column, or one row beside the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, band
from empirisk.plots.style import colour
from empirisk.wording import count, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BandsDisplay"]


@dataclass(frozen=True)
class BandsDisplay(Display):
    """A curve with its band, and dots of what was seen.

    Parameters
    ----------
    bands : dict
        ``x``, ``value``, ``low`` and ``high``, in the order of ``x``.
    what : str
        What the intervals are: "95 % confidence intervals of the mean".
    name : str
        The column along the axis; empty where the rows stand in the order of their estimates.
    seen : (list, list), optional
        Places and values of what was observed.

    Examples
    --------
    >>> bands = {"x": [1.0, 2.0], "value": [0.1, 0.6], "low": [0.0, 0.4], "high": [0.3, 0.8]}
    >>> BandsDisplay(bands, "95 % confidence intervals of the mean", "dose").title
    '95 % confidence intervals of the mean, from 0.1 at dose 1 to 0.6 at 2'
    """

    bands: Json
    what: str
    name: str = ""
    seen: list[list[float]] | None = None

    @property
    def title(self) -> str:
        b = self.bands
        ends = [plain(b["value"][k], 3) for k in (0, -1)]
        if not self.name:
            return f"{self.what}: {count(len(b['value']))} rows, estimates from {ends[0]} to {ends[1]}"
        at = [plain(b["x"][k], 3) for k in (0, -1)]
        return f"{self.what}, from {ends[0]} at {shorten(self.name, 24)} {at[0]} to {ends[1]} at {at[1]}"

    @property
    def description(self) -> str:
        b = self.bands
        said = [
            f"{plain(b['value'][k], 3)} ({plain(b['low'][k], 3)} to {plain(b['high'][k], 3)})"
            for k in sorted({0, len(b["value"]) // 2, len(b["value"]) - 1})
        ]
        along = f"along {self.name}" if self.name else "of rows in the order of their estimates"
        dots = f" {count(len(self.seen[0]))} dots: what was seen." if self.seen else ""
        return f"A curve with its band {along}: {'; '.join(said)}.{dots}"

    def draw(self, ax: Axes) -> None:
        b = self.bands
        if self.name:
            band(ax, b["x"], b, "test")
        else:
            ax.vlines(b["x"], b["low"], b["high"], color=colour("test"), alpha=0.35, linewidth=1.0)
            ax.plot(b["x"], b["value"], ".", color=colour("test"), markersize=3)
        if self.seen:
            ax.plot(*self.seen, "o", color=colour("ink"), markersize=4)
        ax.set_xlabel(shorten(self.name, 50) or "rows, in the order of their estimates")
        ax.set_ylabel("estimate")
