"""How far each cluster is from all rows, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.groups import hue_of, mark_of, sign_of
from empirisk.plots.style import FONT, colour
from empirisk.wording import plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ClusterProfileDisplay"]

ACROSS = 4  # names of clusters side by side


@dataclass(frozen=True)
class ClusterProfileDisplay(Display):
    """The mean of each cluster minus that of all rows, in standard deviations, one row a column.

    Parameters
    ----------
    lines : sequence of dict
        ``label`` and ``distances`` (one for each cluster; None where there is none).
    names : sequence of str
        Of the clusters.

    Examples
    --------
    >>> ClusterProfileDisplay([{"label": "age", "distances": [1.2, -0.8]}], ["1", "2"]).title
    'Cluster 1 differs most, in age (1.2 standard deviations from all rows)'
    """

    lines: Sequence[Json]
    names: Sequence[str]

    def _largest(self) -> tuple[str, str, float]:
        every = [
            (abs(d), line["label"], self.names[c], d)
            for line in self.lines
            for c, d in enumerate(line["distances"])
            if d is not None
        ]
        _, label, name, distance = max(every, key=lambda found: found[0])
        return label, name, distance

    @property
    def title(self) -> str:
        label, name, distance = self._largest()
        far = plain(distance, 2)
        return (
            f"Cluster {name} differs most, in {shorten(label, 30)} ({far} standard deviations from all rows)"
        )

    @property
    def description(self) -> str:
        said = "; ".join(
            f"{line['label']}: " + ", ".join("none" if d is None else plain(d, 2) for d in line["distances"])
            for line in self.lines
        )
        clusters = ", ".join(self.names)
        return (
            "Dots at the mean of each cluster minus that of all rows, in standard deviations. Clusters"
            f" {clusters}, in"
            f" this order: {said}."
        )

    @property
    def height(self) -> float:
        return 1.1 + 0.46 * len(self.lines) + 0.22 * -(-len(self.names) // ACROSS)

    def draw(self, ax: Axes) -> None:
        for i, line in enumerate(self.lines):
            known = [d for d in line["distances"] if d is not None]
            if known:
                ax.plot([min(known), max(known)], [i, i], color=colour("rule"), linewidth=1.6, zorder=1)
            for c, d in enumerate(line["distances"]):
                if d is not None:
                    ax.plot(d, i, mark_of(c), color=hue_of(c), markersize=6, alpha=0.9, zorder=3)
            place: Json = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": FONT - 0.5}
            ax.text(0.0, i - 0.42, shorten(line["label"], 44), color=colour("ink"), **place)
        ax.axvline(0.0, color=colour("baseline"), linewidth=1.0, linestyle=(0, (3, 2)), zorder=0.5)
        ax.set_ylim(len(self.lines) - 0.5, -0.8)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set_xlabel("standard deviations from the mean of all rows")
        for c, name in enumerate(self.names):
            ax.annotate(
                f"{sign_of(c)} cluster {shorten(name, 10)}",
                ((c % ACROSS) / ACROSS, 0.0),
                xycoords="axes fraction",
                xytext=(0, -46 - 15 * (c // ACROSS)),
                textcoords="offset points",
                color=hue_of(c),
                fontsize=FONT - 1,
                va="top",
                annotation_clip=False,
            )
