"""The ladder of bounds on the risk: measured, test-set bounds, theorems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, plate
from empirisk.plots.style import FONT, colour
from empirisk.wording import plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BoundsDisplay"]


@dataclass(frozen=True)
class BoundsDisplay(Display):
    """One row a bound that applies, tightest first; vacuous ones are grey and end at the edge.

    Parameters
    ----------
    bounds : list of dict
        ``report["bounds"]["rows"]``: ``bound``, ``value``, ``measured``, ``vacuous``, ``applies``.
    label : str
        The risk that is bounded.
    trivial : float, optional
        What no bound can be of use above (1 for a rate of errors).
    most : int, default 12
        How many to show.

    Examples
    --------
    >>> row = {"bound": "Clopper-Pearson", "value": 0.17, "measured": 0.15, "vacuous": False, "applies": True}
    >>> BoundsDisplay([row], "rate of errors").title
    'The rate of errors is at most 0.17 by Clopper-Pearson; 1 of 1 bounds says something'
    """

    bounds: list[Json]
    label: str
    trivial: float | None = 1.0
    most: int = 12

    def _shown(self) -> list[Json]:
        return [b for b in self.bounds if b["applies"] and b["value"] is not None][: self.most]

    @property
    def title(self) -> str:
        shown = self._shown()
        useful = [b for b in shown if not b["vacuous"]]
        if not useful:
            return f"None of the {len(shown)} bounds that apply says anything about the {self.label}"
        best = min(useful, key=lambda b: b["value"])
        verb = "says" if len(useful) == 1 else "say"
        return (
            f"The {self.label} is at most {plain(best['value'], 2)} by {best['bound']}; "
            f"{len(useful)} of {len(shown)} bounds {verb} something"
        )

    @property
    def description(self) -> str:
        said = [
            f"{b['bound']} {plain(b['value'], 3)}" + (" (vacuous)" if b["vacuous"] else "")
            for b in self._shown()
        ]
        return f"Bars from the measured {self.label} to each upper bound. " + "; ".join(said) + "."

    @property
    def height(self) -> float:
        return 0.8 + 0.46 * max(1, len(self._shown()))

    def draw(self, ax: Axes) -> None:
        shown = self._shown()
        useful = [b["value"] for b in shown if not b["vacuous"]]
        top = self.trivial if self.trivial is not None else 1.25 * max(useful, default=1.0)
        place: Json = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": FONT - 0.5}
        for i, b in enumerate(shown):
            hue = colour("baseline" if b["vacuous"] else "test")
            start = 0.0 if b["measured"] is None else min(b["measured"], top)
            ax.plot([start, min(b["value"], top)], [i, i], color=hue, linewidth=2.4)
            if b["measured"] is not None:
                ax.plot(start, i, "o", color=hue, markersize=5)
            if b["value"] <= top:
                ax.plot(b["value"], i, "|", color=hue, markersize=11, markeredgewidth=2.0)
            plate(ax, i - 0.68, i - 0.22)
            ax.text(0.0, i - 0.44, shorten(b["bound"], 44), color=colour("ink"), **place)
            said = f"≤ {plain(b['value'], 3)}" + (", vacuous" if b["vacuous"] else "")
            ax.text(1.0, i - 0.44, said, color=colour("muted"), ha="right", **place)
        ax.set_xlim(0.0, top)
        ax.set_ylim(len(shown) - 0.6, -0.8)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.grid(axis="x", linewidth=0.7)
        ax.set_xlabel(f"{self.label}: dot measured, bar up to the bound")
