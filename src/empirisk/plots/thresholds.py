"""Expected cost a row of each threshold, with the chosen one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, band, on_end
from empirisk.plots.style import colour
from empirisk.wording import brief, count, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ThresholdsDisplay"]


@dataclass(frozen=True)
class ThresholdsDisplay(Display):
    """The cost of cuts with a pointwise band, and the interval of the cheapest cut.

    Parameters
    ----------
    curve : dict
        ``x`` (the cuts), ``value``, ``low``, ``high``, ``level`` and ``n``.
    cut, cost : dict
        The chosen cut and its cost on new rows, estimates.
    positive : str
        The positive class.
    scale : {"probability", "score"}
        What is cut.

    Examples
    --------
    >>> cut, cost = ({"value": v, "low": v - 0.1, "high": v + 0.1} for v in (0.3, 0.4))
    >>> ThresholdsDisplay({}, cut, cost, "yes").title
    'A threshold of 0.30 [0.20, 0.40] is cheapest: 0.40 [0.30, 0.50] a row on new rows'
    """

    curve: Json
    cut: Json
    cost: Json
    positive: str
    scale: str = "probability"

    @property
    def title(self) -> str:
        return f"A threshold of {brief(self.cut)} is cheapest: {brief(self.cost)} a row on new rows"

    @property
    def description(self) -> str:
        values, x = self.curve["value"], self.curve["x"]
        return (
            f"Cost a row by the threshold of the {self.scale} of {self.positive}, n = "
            f"{count(self.curve['n'])}: from {values[0]:.4g} at {x[0]:.4g} to {values[-1]:.4g} at "
            f"{x[-1]:.4g}, least at {brief(self.cut)}."
        )

    @property
    def height(self) -> float:
        return 4.0

    def draw(self, ax: Axes) -> None:
        band(ax, self.curve["x"], self.curve, "test")
        x, hue = self.cut["value"], colour("validation")
        ax.axvspan(self.cut["low"], self.cut["high"], color=hue, alpha=0.12, linewidth=0)
        ax.axvline(x, color=hue, linewidth=1.2, linestyle=(0, (4, 3)))
        ax.set_ylim(bottom=0.0)
        top = ax.get_ylim()[1]
        ends = self.curve["x"][0], self.curve["x"][-1]
        left = x > 0.5 * (ends[0] + ends[1])
        where = {"xytext": (-5, -2) if left else (5, -2), "ha": "right" if left else "left", "va": "top"}
        on_end(ax, x, top, "cheapest, with interval", "validation", **where)
        ax.set_xlabel(f"threshold: least {self.scale} that is called {shorten(self.positive, 18)}")
        ax.set_ylabel("expected cost of a row")
