"""Interaction strengths with intervals, columns first, then pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, IntervalRow, Json, interval_rows
from empirisk.wording import brief, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["InteractionsDisplay"]


@dataclass(frozen=True)
class InteractionsDisplay(Display):
    """Friedman's H of columns and pairs.

    Parameters
    ----------
    interactions : dict
        ``rows`` (each ``name``, ``strength``, ``size``, ``small``: whether H divides by next to nothing),
        ``scale``.

    Examples
    --------
    >>> strength = {"value": 0.4, "low": 0.3, "high": 0.5}
    >>> row = {"name": "age and dose", "strength": strength, "size": 1.2, "small": False}
    >>> InteractionsDisplay({"rows": [row], "scale": "raw score"}).title
    'Largest interaction: age and dose, H 0.40 [0.30, 0.50], 1.2 units of the raw score'
    """

    interactions: Json

    @property
    def title(self) -> str:
        rows = self.interactions["rows"]
        best = max(rows, key=lambda r: (" and " in r["name"], r["size"]))
        if all(r["size"] == 0.0 for r in rows):
            return f"The {self.interactions['scale']} is a sum of functions of single columns: no interaction"
        size = f"{plain(best['size'], 3)} units of the {self.interactions['scale']}"
        return f"Largest interaction: {shorten(best['name'])}, H {brief(best['strength'])}, {size}"

    @property
    def description(self) -> str:
        said = "; ".join(f"{r['name']} {brief(r['strength'])}" for r in self.interactions["rows"])
        return f"Dots with intervals: interaction strength H, from 0 (none) to 1. {said}."

    @property
    def height(self) -> float:
        return 0.9 + 0.44 * len(self.interactions["rows"])

    def draw(self, ax: Axes) -> None:
        shown = self.interactions["rows"]
        rows = [IntervalRow(r["name"], r["strength"], "baseline" if r["small"] else "test") for r in shown]
        said = [brief(r["strength"]) + (" (tiny base)" if r["small"] else "") for r in shown]
        interval_rows(ax, rows, said, "interaction strength H: 0 none, 1 nothing else")
        ax.set_xlim(-0.02, 1.02)
