"""Residuals against predicted values, in bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.spread import bins_outside, by_chance, draw_bins, say_bins
from empirisk.plots.style import colour
from empirisk.wording import counted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ResidualsDisplay"]


@dataclass(frozen=True)
class ResidualsDisplay(Display):
    """Residuals (observed minus predicted) by predicted value.

    Parameters
    ----------
    spread : dict
        ``report["test"]["residuals"]``.
    target : str
        The target with its unit, for the axes.

    Examples
    --------
    >>> mean = {"value": 0.3, "low": 0.1, "high": 0.5, "level": 0.95, "method": "Student t"}
    >>> ResidualsDisplay({"bins": [{"predicted": 4.1, "mean": mean}]}, "quality").title
    'In 1 of 1 bin the mean residual differs from zero (chance alone: about 0.1)'
    """

    spread: Json
    target: str

    @property
    def title(self) -> str:
        bins = self.spread["bins"]
        off, known = bins_outside(bins, 0.0)
        if known == 0:
            return f"Residuals against predictions in {counted(len(bins), 'bin')}; none has an interval"
        if off == 0:
            where = "the only bin" if known == 1 else f"all {known} bins"
            return f"Residuals are compatible with a mean of zero in {where}"
        return (
            f"In {off} of {counted(known, 'bin')} the mean residual differs from zero{by_chance(bins, known)}"
        )

    @property
    def description(self) -> str:
        said = say_bins(self.spread["bins"])
        return f"Observed minus predicted {self.target} by predicted value, in bins. {said}."

    def draw(self, ax: Axes) -> None:
        ax.axhline(0, color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        draw_bins(ax, self.spread["bins"])
        ax.set_xlabel(f"predicted {shorten(self.target, 36)}")
        ax.set_ylabel("observed − predicted")
