"""Shapley values of many rows: one point a row for each column, the largest columns first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import FONT, colour
from empirisk.wording import count, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ShapleySummaryDisplay"]

_MOST_POINTS, _BINS, _WIDTH = 1500, 120, 0.62  # of a row, along it, across it


@dataclass(frozen=True)
class ShapleySummaryDisplay(Display):
    """How much each column moves the scores of the rows, and whether high or low values do it.

    Parameters
    ----------
    shapley : dict
        ``columns`` (each ``name``, ``mean`` size, ``values``, ``x``), ``scale``, ``n``.

    Examples
    --------
    >>> column = {"name": "age", "mean": 0.4, "values": [0.3, -0.5], "x": [60.0, 20.0]}
    >>> ShapleySummaryDisplay({"columns": [column], "scale": "raw score", "n": 2}).title
    'age moves the raw score most: by 0.4 on average'
    """

    shapley: Json

    @property
    def title(self) -> str:
        first = self.shapley["columns"][0]
        if first["mean"] == 0.0:
            return f"No column moves the {self.shapley['scale']}"
        by = f"by {plain(first['mean'], 3)} on average"
        return f"{shorten(first['name'])} moves the {self.shapley['scale']} most: {by}"

    @property
    def description(self) -> str:
        said = "; ".join(f"{c['name']} {plain(c['mean'], 3)}" for c in self.shapley["columns"])
        return (
            f"Points: Shapley values of {count(self.shapley['n'])} rows, one line of points for each column, "
            f"coloured by the rank of the column's value. Mean sizes: {said}."
        )

    @property
    def height(self) -> float:
        return 1.6 + 0.46 * len(self.shapley["columns"])

    def draw(self, ax: Axes) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        low, high = colour("validation"), colour("train")
        ends = [low, colour("rule"), high]
        hues = LinearSegmentedColormap.from_list("low to high", ends, bad=colour("muted"))
        columns = self.shapley["columns"]
        reach = max((abs(v) for c in columns for v in c["values"]), default=1.0) or 1.0
        for i, column in enumerate(columns):
            step = max(1, math.ceil(len(column["values"]) / _MOST_POINTS))
            values, x = column["values"][::step], column["x"][::step]
            heights = [i + d for d in _spread(values, reach)]
            shades: Json = {"c": _ranks(x), "cmap": hues, "vmin": 0.0, "vmax": 1.0}
            ax.scatter(values, heights, s=7, linewidths=0, rasterized=True, **shades)
            place: Json = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": FONT - 0.5}
            ax.text(-0.02, i, shorten(column["name"], 22), ha="right", color=colour("ink"), **place)
        ax.axvline(0.0, color=colour("baseline"), linewidth=1)
        ax.set_ylim(len(columns) - 0.5, -0.5)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(f"part of the {self.shapley['scale']}")
        key: Json = {"xycoords": "axes fraction", "ha": "right", "va": "bottom", "fontsize": FONT - 1.5}
        key["textcoords"] = "offset points"
        ax.annotate("low values", (1.0, 0.0), xytext=(0, 1.35 * FONT), color=low, **key)
        ax.annotate("high values", (1.0, 0.0), xytext=(0, 0), color=high, **key)


def _spread(values: list[float], reach: float) -> list[float]:
    """Return heights that lay the points of one bin beside each other, as high as they are many."""
    bins = [int(_BINS * (v + reach) / (2.0 * reach)) for v in values]
    number = {b: bins.count(b) for b in set(bins)}
    most, seen = max(number.values(), default=1), dict.fromkeys(number, 0)
    out = []
    for b in bins:
        seen[b] += 1
        place = (seen[b] - 0.5) / number[b] - 0.5
        out.append(_WIDTH * place * min(1.0, number[b] / most + 0.1 * (number[b] > 1)))
    return out


def _ranks(x: list[float]) -> list[float]:
    """Return the share of the values below each (ties: their middle); NaN where missing."""
    known = sorted(v for v in x if not math.isnan(v))
    first: dict[float, int] = {}
    last: dict[float, int] = {}
    for i, v in enumerate(known):
        first.setdefault(v, i)
        last[v] = i
    top = max(len(known) - 1, 1)
    return [math.nan if math.isnan(v) else 0.5 * (first[v] + last[v]) / top for v in x]
