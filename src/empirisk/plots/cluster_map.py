"""Rows in a plane, coloured by their cluster, with the centres where there are any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.groups import hue_of, mark_of, sign_of
from empirisk.plots.stacks import area, stacked
from empirisk.plots.style import FONT, colour
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
        no plane of columns or components, or shows a share of something else than their variance, and
        ``numbered`` where one column lies along x, and along y the numbers of the clusters.

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
        _, stacks = stacked(v["rows"])
        centres += f" {stacks[0].upper()}{stacks[1:]}." if stacks else ""
        return (
            f"Rows in the plane of {v.get('plane', plane)}. {self.title}. Rows of each cluster: {sizes}"
            f"{f' and {more} more' if more > 0 else ''}.{centres}{drawn}"
        )

    @property
    def height(self) -> float:
        return 4.3 + 0.22 * -(-len(self._key()) // ACROSS)

    def draw(self, ax: Axes) -> None:
        v = self.view
        marks, stacks = stacked(v["rows"])
        most = max((mark[-1] for mark in marks), default=1)
        largest = {k: max((m[-1] for m in marks if m[2] == k), default=0) for k in range(-1, len(v["sizes"]))}
        for k in sorted(largest, key=lambda k: -largest[k]):  # a large mark hides none of another group
            own = [mark for mark in marks if mark[2] == k]
            if not own:
                continue
            ax.scatter(
                [mark[0] for mark in own],
                [mark[1] for mark in own],
                s=area([mark[-1] for mark in own], 14.0 if k < 0 else 20.0, most),
                marker=mark_of(k),
                color=hue_of(k),
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
        ax.margins(0.12 if stacks else 0.05)  # large marks stay inside
        if v.get("numbered"):
            self._whole_numbers(ax)
        for i, (words, hue) in enumerate(self._key()):
            ax.annotate(
                words,
                ((i % ACROSS) / ACROSS, 0.0),
                xycoords="axes fraction",
                xytext=(0, -46 - 15 * (i // ACROSS)),
                textcoords="offset points",
                color=hue,
                fontsize=FONT - 1,
                va="top",
                annotation_clip=False,
            )

    def _whole_numbers(self, ax: Axes) -> None:
        """Write the numbers of the clusters at the axis along which they lie."""
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        first, last = self.view.get("first", 0), len(self.view["sizes"]) - 1
        ax.set_ylim(-0.5 if not self.view["outside"] else -1.5, last + 0.5)
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda k, _: "none" if k < 0 else f"{k + first:.0f}"))

    def _key(self) -> list[tuple[str, str]]:
        """Return what stands below the axes, with colours: each cluster, and what sizes of marks mean."""
        v = self.view
        said = [
            (f"{sign_of(k)} {k + v.get('first', 0)}: {counted(size, 'row')}", hue_of(k))
            for k, size in enumerate(v["sizes"][:SHOWN])
        ]
        if len(v["sizes"]) > SHOWN:
            said.append((f"and {count(len(v['sizes']) - SHOWN)} more", colour("muted")))
        if v["outside"]:
            said.append((f"{sign_of(-1)} none: {counted(v['outside'], 'row')}", hue_of(-1)))
        if v["centres"]:
            said.append((f"+ {v.get('centre', 'centre')}", colour("ink")))
        _, stacks = stacked(v["rows"])
        if stacks:  # a line of its own
            said += [("", colour("muted"))] * (-len(said) % ACROSS) + [(stacks, colour("muted"))]
        return said
