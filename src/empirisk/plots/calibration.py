"""Observed share against predicted probability, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, on_end, percent_ticks
from empirisk.plots.style import colour
from empirisk.wording import brief, count, counted, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CalibrationDisplay"]


@dataclass(frozen=True)
class CalibrationDisplay(Display):
    """One dot a bin of predictions, with the interval of the observed share.

    Parameters
    ----------
    calibration : dict
        ``report["test"]["calibration"]``.

    Examples
    --------
    >>> bins = [{"predicted": 0.2, "observed": {"value": 0.3, "low": 0.25, "high": 0.35}}]
    >>> CalibrationDisplay({"about": "probability of yes", "bins": bins}).title
    'In 1 of 1 bin the prediction lies outside the interval of the observed share'
    """

    calibration: Json

    @property
    def title(self) -> str:
        known = [b for b in self.calibration["bins"] if b["observed"]["low"] is not None]
        pairs = [(b["predicted"], b["observed"]) for b in known]
        off = sum(not e["low"] <= p <= e["high"] for p, e in pairs)
        if not known:
            return "Observed shares against predictions; no bin has an interval"
        if off == 0:
            return f"No bin of {len(known)} shows a disagreement of prediction and observed share"
        some = f"In {off} of {counted(len(known), 'bin')}"
        return f"{some} the prediction lies outside the interval of the observed share"

    @property
    def description(self) -> str:
        bins = self.calibration["bins"]
        said = [
            f"predicted {plain(b['predicted'], 2)}, observed {brief(b['observed'])}, n = {count(b['n'])}"
            for b in bins
        ]
        return f"Calibration of the {self.calibration['about']}. " + "; ".join(said) + "."

    @property
    def height(self) -> float:
        return 4.4

    def draw(self, ax: Axes) -> None:
        ax.plot([0, 1], [0, 1], color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        shown = [b for b in self.calibration["bins"] if b["observed"]["value"] is not None]
        x = [b["predicted"] for b in shown]
        ends = [b for b in shown if b["observed"]["low"] is not None and b["observed"]["high"] is not None]
        at = [b["predicted"] for b in ends]
        low, high = ([b["observed"][key] for b in ends] for key in ("low", "high"))
        ax.fill_between(at, low, high, color=colour("test"), alpha=0.14, linewidth=0)
        ax.vlines(at, low, high, color=colour("test"), linewidth=1.8)
        ax.plot(x, [b["observed"]["value"] for b in shown], "o", color=colour("test"), markersize=5)
        self._name_diagonal(ax, list(zip(at, low, high, strict=True)))
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        percent_ticks(ax.xaxis)
        percent_ticks(ax.yaxis)
        ax.set_xlabel(f"predicted {shorten(self.calibration['about'], 40)}")
        ax.set_ylabel("observed share")

    def _name_diagonal(self, ax: Axes, bars: list[tuple[float, float, float]]) -> None:
        """Write what the diagonal is where fewest intervals stand: beside it, or in a corner."""

        def crossed(left: float, bottom: float) -> int:
            right, top = left + 0.45, bottom + 0.08
            return sum(left <= x <= right and low <= top and high >= bottom for x, low, high in bars)

        beside = [(t, t + 0.03, t - 0.1) for t in (0.3, 0.1, 0.45, 0.6, 0.2)]
        corners = [(None, 0.55, 0.0), (None, 0.0, 0.92)]
        at, left, bottom = min([*beside, *corners], key=lambda place: crossed(place[1], place[2]))
        if at is not None:
            on_end(ax, at, at, "perfect agreement", "baseline", xytext=(10, -10), va="top")
        else:
            at, side = (1.0, "right") if left > 0.5 else (0.0, "left")
            on_end(
                ax, at, bottom, "dashed: perfect agreement", "baseline", xytext=(0, 2), va="bottom", ha=side
            )
