"""Rows in a plane, coloured by their cluster, with the centres where there are any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.decision_boundary import MARKS, ROLES, SIGNS
from empirisk.plots.display import FONT, Display, Json, colour
from empirisk.wording import count, counted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ClusterMapDisplay"]

SHOWN = 12  # clusters with a line of their own in the legend
ACROSS = 3  # of them side by side


@dataclass(frozen=True)
class ClusterMapDisplay(Display):
    """The rows in the plane of their two leading principal components, a colour and a mark a cluster.

    Parameters
    ----------
    view : dict
        ``rows`` (x, y, number of the cluster or -1), ``sizes`` (rows of each cluster), ``outside`` (rows of
        no cluster), ``centres`` (x, y of each; or None), ``axes`` (two labels), ``share`` (of the variance
        that the plane shows; None where no column varies), ``columns`` (whether the plane is that of two
        columns), ``n`` and ``rule`` (which rows are drawn; "" where all are); ``first`` where clusters are
        not counted from 0, ``centre`` for what else marks a cluster, ``plane`` and ``of`` where the plane is
        no plane of columns or components, or shows a share of something else than their variance.

    Examples
    --------
    >>> view = {"rows": [[0, 0, 0], [1, 1, 1]], "sizes": [1, 1], "outside": 0, "centres": None,
    ...         "axes": ["component 1", "component 2"], "share": 0.83, "columns": False, "n": 2, "rule": ""}
    >>> ClusterMapDisplay(view).title
    '2 clusters of 2 rows: the plane shows 83 % of the variance'
    """

    view: Json

    @property
    def title(self) -> str:
        v = self.view
        head = f"{counted(len(v['sizes']), 'cluster')} of {counted(v['n'], 'row')}"
        if v["outside"]:
            head += f", {count(v['outside'])} of them in none"
        if v["share"] is None:
            return f"{head}: no {'distance is above 0' if 'of' in v else 'column varies'}"
        # A share below 1 is never said to be all of it.
        said = "all" if v["share"] >= 1.0 - 1e-9 else f"{min(99.9, 100.0 * v['share']):.3g} %"
        return f"{head}: the plane shows {said} of {v.get('of', 'the variance')}"

    @property
    def description(self) -> str:
        v = self.view
        first = v.get("first", 0)
        sizes = ", ".join(f"{k} has {count(size)}" for k, size in enumerate(v["sizes"][:SHOWN], first))
        more = len(v["sizes"]) - SHOWN
        plane = "their two columns" if v["columns"] else "their two leading principal components"
        drawn = f" {v['rule']}" if v["rule"] else ""
        centres = f" Crosses are {v.get('centre', 'centre')}s." if v["centres"] else ""
        return (
            f"Rows in the plane of {v.get('plane', plane)}. {self.title}. Rows of each cluster: {sizes}"
            f"{f' and {more} more' if more > 0 else ''}.{centres}{drawn}"
        )

    @property
    def height(self) -> float:
        lines = -(-min(len(self.view["sizes"]) + 2, SHOWN + 3) // ACROSS)
        return 4.3 + 0.22 * lines

    def draw(self, ax: Axes) -> None:
        v = self.view
        for k in range(-1, len(v["sizes"])):
            own = [row for row in v["rows"] if row[2] == k]
            if not own:
                continue
            ax.scatter(
                [row[0] for row in own],
                [row[1] for row in own],
                s=14 if k < 0 else 20,
                marker="x" if k < 0 else MARKS[_mark(k)],
                color=colour(_role(k)),
                alpha=0.75,
                linewidths=0.8 if k < 0 else 0.0,
                zorder=2 if k < 0 else 3,
            )
        if v["centres"]:
            at = list(zip(*v["centres"], strict=True))
            for width, role in ((4.2, "paper"), (1.9, "ink")):
                ax.scatter(at[0], at[1], s=90, marker="+", color=colour(role), linewidths=width, zorder=4)
        ax.set_xlabel(shorten(v["axes"][0], 40))
        ax.set_ylabel(shorten(v["axes"][1], 40))
        self._legend(ax)

    def _legend(self, ax: Axes) -> None:
        """Write the sign, the number and the size of each cluster below the axes."""
        v = self.view
        said = [
            (f"{SIGNS[_mark(k)]} {k + v.get('first', 0)}: {counted(size, 'row')}", _role(k))
            for k, size in enumerate(v["sizes"][:SHOWN])
        ]
        if len(v["sizes"]) > SHOWN:
            said.append((f"and {count(len(v['sizes']) - SHOWN)} more", "muted"))
        if v["outside"]:
            said.append((f"\u00d7 none: {counted(v['outside'], 'row')}", _role(-1)))
        if v["centres"]:
            said.append((f"+ {v.get('centre', 'centre')}", "ink"))
        for i, (words, role) in enumerate(said):
            ax.annotate(
                words,
                ((i % ACROSS) / ACROSS, 0.0),
                xycoords="axes fraction",
                xytext=(0, -46 - 15 * (i // ACROSS)),
                textcoords="offset points",
                color=colour(role),
                fontsize=FONT - 1,
                va="top",
                annotation_clip=False,
            )


def _role(k: int) -> str:
    return "muted" if k < 0 else ROLES[k % len(ROLES)]


def _mark(k: int) -> int:
    """Return the number of the mark: after all colours are used once, each comes with another mark."""
    return (k + k // len(ROLES)) % len(MARKS)
