"""Quantiles of the residuals against those of a normal distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, on_end
from empirisk.plots.style import colour
from empirisk.wording import count, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["QuantilesDisplay"]


@dataclass(frozen=True)
class QuantilesDisplay(Display):
    """Standardised residuals against normal quantiles.

    Parameters
    ----------
    quantiles : dict
        ``report["test"]["quantiles"]``; its band is where normal residuals would lie.

    Examples
    --------
    >>> QuantilesDisplay({"x": [-1, 1], "value": [-3, 1], "low": [-2, 0], "high": [0, 2]}).title
    '1 of 2 quantiles of the residuals leave the band of a normal distribution'
    """

    quantiles: Json

    @property
    def title(self) -> str:
        q = self.quantiles
        if q["low"] is None or q["high"] is None:
            return "Residuals against normal quantiles"
        off = sum(not lo <= v <= hi for v, lo, hi in zip(q["value"], q["low"], q["high"], strict=True))
        if off == 0:
            return (
                f"None of {len(q['x'])} quantiles of the residuals leaves the band of a normal distribution"
            )
        return f"{off} of {len(q['x'])} quantiles of the residuals leave the band of a normal distribution"

    @property
    def description(self) -> str:
        q = self.quantiles
        low, high = plain(q["value"][0], 3), plain(q["value"][-1], 3)
        normal = f"{plain(q['x'][0], 3)} to {plain(q['x'][-1], 3)}"
        return (
            f"Normal quantile plot, n = {count(q['n'])}: the residuals reach from {low} to {high} standard "
            f"deviations where a normal distribution gives {normal}."
        )

    @property
    def height(self) -> float:
        return 4.2

    def draw(self, ax: Axes) -> None:
        q = self.quantiles
        ends = [q["x"][0], q["x"][-1]]
        ax.plot(ends, ends, color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        on_end(ax, ends[1], ends[1], "normal", "baseline", xytext=(2, -2), va="center")
        if q["low"] is not None and q["high"] is not None:
            ax.fill_between(q["x"], q["low"], q["high"], color=colour("test"), alpha=0.16, linewidth=0)
        ax.plot(q["x"], q["value"], "o", color=colour("test"), markersize=3)
        ax.set_xlabel("quantile of the normal distribution (standard deviations)")
        ax.set_ylabel("quantile of the residuals")
