"""One row's way from the base to its score, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import FONT, colour
from empirisk.wording import plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ShapleyRowDisplay"]


@dataclass(frozen=True)
class ShapleyRowDisplay(Display):
    """The Shapley values of one row as steps.

    Parameters
    ----------
    row : dict
        ``base``, ``score``, ``scale``, ``parts`` (each ``name``, ``x`` in words or None, ``value``).

    Examples
    --------
    >>> parts = [{"name": "age", "x": "60", "value": 0.5}, {"name": "dose", "x": "1", "value": -0.2}]
    >>> ShapleyRowDisplay({"base": 1.0, "score": 1.3, "scale": "raw score", "parts": parts}).title
    'raw score 1.3 instead of 1: age +0.5, dose −0.2'
    """

    row: Json

    @property
    def title(self) -> str:
        said = ", ".join(f"{shorten(p['name'], 20)} {_signed(p['value'])}" for p in self.row["parts"][:2])
        score, base = plain(self.row["score"], 3), plain(self.row["base"], 3)
        return f"{self.row['scale']} {score} instead of {base}: {said}"

    @property
    def description(self) -> str:
        said = "; ".join(f"{_name(p)} {_signed(p['value'])}" for p in self.row["parts"])
        base, score = plain(self.row["base"], 3), plain(self.row["score"], 3)
        return f"Steps from the base {base} to the score {score}, one for each column: {said}."

    @property
    def height(self) -> float:
        return 1.4 + 0.42 * len(self.row["parts"])

    def draw(self, ax: Axes) -> None:
        at = self.row["base"]
        parts = self.row["parts"]
        for i, part in enumerate(parts):
            to = at + part["value"]
            hue = colour("train" if part["value"] > 0 else "validation")
            ax.barh(i, part["value"], left=at, color=hue, alpha=0.85, height=0.56)
            ax.plot([to, to], [i, min(i + 1, len(parts) - 1)], color=colour("rule"), linewidth=1, zorder=0)
            place: Json = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": FONT - 0.5}
            ax.text(-0.02, i, _name(part), ha="right", color=colour("ink"), **place)
            ax.text(1.02, i, _signed(part["value"]), color=hue, **place)
            at = to
        ax.axvline(self.row["base"], color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        ax.axvline(self.row["score"], color=colour("ink"), linewidth=1)
        ax.use_sticky_edges = False
        ax.margins(x=0.08)
        ax.set_ylim(len(parts) - 0.5, -0.6)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(f"{self.row['scale']}: base (dashed), this row (line)")


def _name(part: Json) -> str:
    return shorten(part["name"], 22) + ("" if part["x"] is None else f" = {shorten(part['x'], 12)}")


def _signed(v: float) -> str:
    return f"+{plain(v, 3)}" if v > 0 else plain(v, 3)
