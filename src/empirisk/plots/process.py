"""The curve of a Gaussian process of one column, with its band and the rows of the fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, band
from empirisk.plots.style import colour
from empirisk.wording import count, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ProcessDisplay"]


@dataclass(frozen=True)
class ProcessDisplay(Display):
    """Mean and prediction band of a number, or the probability of a class, against the one column.

    Parameters
    ----------
    curve : dict
        ``x``, ``value``, ``low``, ``high``, ``level``, ``rows`` (pairs of x and y), ``inside`` (how many of
        the rows lie in the band; None for a probability), ``feature``, and ``label`` of the vertical axis.

    Examples
    --------
    >>> curve = {"x": [0.0, 1.0], "value": [0.0, 1.0], "low": [-1.0, 0.0], "high": [1.0, 2.0], "level": 0.9}
    >>> ProcessDisplay({**curve, "rows": [[0.5, 0.4]], "inside": 1, "feature": "x", "label": "y"}).title
    '1 of 1 rows of the fit lie in the 90 % band for a new y'
    """

    curve: Json

    @property
    def title(self) -> str:
        c = self.curve
        if c["inside"] is not None:
            rows = f"{count(c['inside'])} of {count(len(c['rows']))} rows of the fit"
            return f"{rows} lie in the {100 * c['level']:g} % band for a new y"
        low, high = min(c["value"]), max(c["value"])
        label = shorten(c["label"], 40)
        return f"{label[:1].upper()}{label[1:]} between {plain(low, 2)} and {plain(high, 2)}"

    @property
    def description(self) -> str:
        c = self.curve
        span = f"from {plain(c['x'][0], 3)} to {plain(c['x'][-1], 3)}"
        ends = f"{plain(min(c['value']), 3)} to {plain(max(c['value']), 3)}"
        return (
            f"Line chart with a {100 * c['level']:g} % band of {c['label']} against {c['feature']} {span}, "
            f"over {count(len(c['rows']))} rows; the line runs from {ends}."
        )

    def draw(self, ax: Axes) -> None:
        c = self.curve
        xs, ys = [row[0] for row in c["rows"]], [row[1] for row in c["rows"]]
        ax.scatter(xs, ys, s=16, color=colour("train"), alpha=0.7, linewidths=0, zorder=3)
        band(ax, c["x"], c, "validation")
        ax.set_xlim(c["x"][0], c["x"][-1])
        ax.set_xlabel(shorten(c["feature"], 40))
        ax.set_ylabel(shorten(c["label"], 40))
