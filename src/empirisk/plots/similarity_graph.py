"""A similarity graph drawn over its rows: edges within clusters, and those that the clusters cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.cluster_map import ClusterMapDisplay
from empirisk.plots.style import colour
from empirisk.wording import count, counted, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SimilarityGraphDisplay"]


@dataclass(frozen=True)
class SimilarityGraphDisplay(ClusterMapDisplay):
    """The map of the clusters with the edges of their graph: grey within a cluster, red between two.

    Parameters
    ----------
    view : dict
        That of :class:`ClusterMapDisplay`, with ``edges`` (x, y of both ends, and whether it is cut),
        ``n_edges``, ``n_cut`` (of all, not of those that are drawn) and ``cut_share`` (of the weight).

    Examples
    --------
    >>> view = {"rows": [[0, 0, 0], [1, 1, 1]], "sizes": [1, 1], "outside": 0, "centres": None,
    ...         "axes": ["a", "b"], "share": 1.0, "columns": True, "n": 2, "rule": "",
    ...         "edges": [[0, 0, 1, 1, True]], "n_edges": 1, "n_cut": 1, "cut_share": 1.0}
    >>> SimilarityGraphDisplay(view).title
    '2 clusters cut 1 of 1 edge, 100 % of the weight'
    """

    @property
    def title(self) -> str:
        v = self.view
        head = counted(len(v["sizes"]), "cluster")
        if not v["n_cut"]:
            return f"{head}: none of {counted(v['n_edges'], 'edge')} joins two of them"
        return (
            f"{head} cut {count(v['n_cut'])} of {counted(v['n_edges'], 'edge')}, "
            f"{percent(v['cut_share'])} of the weight"
        )

    @property
    def description(self) -> str:
        v = self.view
        drawn = "" if len(v["edges"]) == v["n_edges"] else f" {count(len(v['edges']))} edges are drawn."
        return f"A similarity graph over its rows. {ClusterMapDisplay(v).description}{drawn} {self.title}."

    def draw(self, ax: Axes) -> None:
        from matplotlib.collections import LineCollection

        for cut, role, width, order in ((False, "muted", 0.5, 1), (True, "reference", 1.1, 2)):
            lines = [[(e[0], e[1]), (e[2], e[3])] for e in self.view["edges"] if bool(e[4]) is cut]
            if lines:
                alpha = 0.8 if cut else 0.35
                ax.add_collection(
                    LineCollection(lines, colors=colour(role), linewidths=width, alpha=alpha, zorder=order)
                )
        super().draw(ax)
        ax.autoscale_view()
