"""Precision against recall with its band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, band, on_end
from empirisk.plots.style import colour
from empirisk.wording import brief, count, plain, shorten, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PrecisionRecallDisplay"]


@dataclass(frozen=True)
class PrecisionRecallDisplay(Display):
    """Precision over recall, with the share of the positive class as the line of no skill.

    Parameters
    ----------
    curve : dict
        ``report["test"]["pr"]``.
    positive : str
        The positive class.

    Examples
    --------
    >>> area, rate = ({"value": v, "low": v - 0.02, "high": v + 0.02} for v in (0.77, 0.24))
    >>> PrecisionRecallDisplay({"area": area, "base_rate": rate}, "yes").title
    'Average precision for yes is 0.770 [0.750, 0.790], against 0.240 without skill'
    """

    curve: Json
    positive: str

    @property
    def title(self) -> str:
        c = self.curve
        without = f"against {text(c['base_rate'])} without skill"
        return f"Average precision for {shorten(self.positive)} is {brief(c['area'])}, {without}"

    @property
    def description(self) -> str:
        at = min(range(len(self.curve["x"])), key=lambda i: abs(self.curve["x"][i] - 0.5))
        recall, precision = plain(self.curve["x"][at], 2), plain(self.curve["value"][at], 2)
        head = f"Precision-recall curve with band, n = {count(self.curve['n'])}"
        return f"{head}. At a recall of {recall} the precision is {precision}."

    @property
    def height(self) -> float:
        return 4.4

    def draw(self, ax: Axes) -> None:
        rate = self.curve["base_rate"]["value"]
        if rate is not None:
            ax.axhline(rate, color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
            on_end(ax, 0.02, rate, "no skill", "baseline", xytext=(0, 3), va="bottom")
        band(ax, self.curve["x"], self.curve, "test")
        at = len(self.curve["x"]) // 2
        said = "test rows, with band" if self.curve["low"] is not None else "test rows"
        on_end(
            ax,
            self.curve["x"][at],
            self.curve["value"][at],
            said,
            "test",
            xytext=(-8, -14),
            ha="right",
            va="top",
        )
        ax.set_xlim(-0.01, 1.01)
        ax.set_ylim(-0.01, 1.01)
        ax.set_xlabel(f"recall: share of {shorten(self.positive, 18)} rows that are found")
        ax.set_ylabel("precision: share found rightly")
