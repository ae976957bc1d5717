"""The tree of merged clusters, with the line at which it was cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from empirisk.plots.display import Display, Json
from empirisk.plots.groups import hue_of
from empirisk.plots.style import FONT, colour
from empirisk.wording import count, counted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DendrogramDisplay"]

LONGEST = 14  # characters of the name of a leaf


@dataclass(frozen=True)
class DendrogramDisplay(Display):
    """Merges as brackets at their heights; clusters of the cut in colours, hidden parts as wedges.

    Parameters
    ----------
    view : dict
        ``links`` (places of the two parts, their heights, the height, number of the cluster or -1),
        ``leaves`` (``height``, ``rows``, ``name``, ``cluster``), ``cut`` (a height or None), ``clusters``,
        ``n``, ``inversions``, ``linkage`` and ``cophenetic`` (a correlation or None).

    Examples
    --------
    >>> view = {"links": [[0, 1, 0.0, 0.0, 2.0, 0]], "leaves": [
    ...     {"height": 0.0, "rows": 1, "name": "a", "cluster": 0},
    ...     {"height": 0.0, "rows": 1, "name": "b", "cluster": 0}], "cut": 3.0, "clusters": 1, "n": 2,
    ...     "inversions": 0, "linkage": "ward linkage", "cophenetic": 0.76}
    >>> DendrogramDisplay(view).title
    '1 cluster of 2 rows by ward linkage; heights correlate with distances at 0.76'
    """

    view: Json

    @property
    def title(self) -> str:
        v = self.view
        said = f"{counted(v['clusters'], 'cluster')} of {counted(v['n'], 'row')} by {v['linkage']}"
        if v["inversions"]:
            said += f", {counted(v['inversions'], 'merge')} lower than the one before"
        if v["cophenetic"] is None:
            return said
        return f"{said}; heights correlate with distances at {v['cophenetic']:.2f}"

    @property
    def description(self) -> str:
        v = self.view
        shown = len(v["leaves"])
        said = f"Dendrogram, leaves below, of {count(v['n'])} rows"
        if shown < v["n"]:
            said += f": the last {count(len(v['links']))} merges; the {shown} parts below are wedges or rows"
        top = v["links"][-1][4] if v["links"] else 0.0
        said += f". The last merge is at {top:.4g}"
        return f"{said}, the cut at {v['cut']:.4g}." if v["cut"] is not None else f"{said}."

    @property
    def height(self) -> float:
        return 4.2

    def draw(self, ax: Axes) -> None:
        v = self.view
        for left, right, low, high, height, cluster in v["links"]:
            line: Any = {"color": hue_of(cluster), "linewidth": 1.4, "solid_joinstyle": "miter"}
            ax.plot([left, left, right, right], [low, height, height, high], **line)
        for x, leaf in enumerate(v["leaves"]):
            if leaf["rows"] > 1:
                wedge = ([x - 0.32, x, x + 0.32], [0.0, leaf["height"], 0.0])
                ax.fill(*wedge, color=hue_of(leaf["cluster"]), alpha=0.35, linewidth=0)
        if v["cut"] is not None:
            ax.axhline(v["cut"], color=colour("baseline"), linestyle="--", linewidth=1.2)
        ax.set_xlim(-0.7, len(v["leaves"]) - 0.3)
        top = max([link[4] for link in v["links"]] + [v["cut"] or 0.0, 1e-300])
        ax.set_ylim(0.0, 1.05 * top)
        words = [
            shorten(leaf["name"], LONGEST) if leaf["rows"] == 1 else f"({count(leaf['rows'])})"
            for leaf in v["leaves"]
        ]
        small = FONT - (2.0 if len(words) <= 25 else 4.5)
        ax.set_xticks(range(len(words)), words, rotation=90, fontsize=small)
        for name, leaf in zip(ax.get_xticklabels(), v["leaves"], strict=True):
            name.set_color(hue_of(leaf["cluster"]))  # a row alone in its cluster has no line of its colour
        ax.tick_params(axis="x", length=0)
        ax.spines["bottom"].set_visible(False)
        truncated = any(leaf["rows"] > 1 for leaf in v["leaves"])
        ax.set_xlabel("rows, or (number of rows) in a part" if truncated else "rows")
        ax.set_ylabel("height of the merge" + (" (cut: dashed)" if v["cut"] is not None else ""))
