"""Observed against predicted values, in bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.spread import bins_outside, by_chance, draw_bins, say_bins
from empirisk.plots.style import colour
from empirisk.wording import counted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ObservedDisplay"]


@dataclass(frozen=True)
class ObservedDisplay(Display):
    """Observed values by predicted value.

    Parameters
    ----------
    spread : dict
        ``report["test"]["observed"]``.
    target : str
        The target with its unit, for the axes.

    Examples
    --------
    >>> mean = {"value": 4.2, "low": 4.0, "high": 4.4}
    >>> ObservedDisplay({"bins": [{"predicted": 4.1, "mean": mean}]}, "quality").title
    'No bin of 1 shows a difference of the mean observed value and the prediction'
    """

    spread: Json
    target: str

    @property
    def title(self) -> str:
        bins = self.spread["bins"]
        off, known = bins_outside(bins, "predicted")
        if known == 0:
            return f"Observed against predicted values in {counted(len(bins), 'bin')}; none has an interval"
        if off == 0:
            return f"No bin of {known} shows a difference of the mean observed value and the prediction"
        chance = by_chance(bins, known)
        return (
            f"In {off} of {counted(known, 'bin')} the mean observed value differs from the prediction{chance}"
        )

    @property
    def description(self) -> str:
        return f"Observed {self.target} by predicted value, in bins. {say_bins(self.spread['bins'])}."

    @property
    def height(self) -> float:
        return 4.2

    def draw(self, ax: Axes) -> None:
        bins = self.spread["bins"]
        ends = [bins[0]["predicted"], bins[-1]["predicted"]]
        ax.plot(ends, ends, color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        draw_bins(ax, bins)
        ax.set_xlabel(f"predicted {shorten(self.target, 36)}")
        ax.set_ylabel(f"observed {shorten(self.target, 28)}")
