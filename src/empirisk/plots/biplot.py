"""Rows and columns in the plane of two principal components."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from empirisk.plots.display import Display, Json
from empirisk.plots.labels import move_apart
from empirisk.plots.stacks import area, stacked
from empirisk.plots.style import FONT, colour
from empirisk.wording import counted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BiplotDisplay"]


@dataclass(frozen=True)
class BiplotDisplay(Display):
    """Rows at their components, and an arrow for each column along its loadings.

    Arrows share one scale, which is chosen so that the longest reaches four fifths of the farthest row.

    Parameters
    ----------
    view : dict
        ``rows`` (two components each), ``n``, ``arrows`` (``name``, ``x``, ``y``; the longest first) and
        ``shares`` of the variance of the two components.

    Examples
    --------
    >>> arrows = [{"name": "dose", "x": 0.9, "y": 0.1}, {"name": "age", "x": 0.1, "y": 0.8}]
    >>> BiplotDisplay({"rows": [[1, 0]], "n": 1, "arrows": arrows, "shares": [0.6, 0.2]}).title
    'The plane shows 80 % of the variance, and along component 1, dose counts most'
    """

    view: Json

    @property
    def title(self) -> str:
        share = sum(self.view["shares"])
        said = "all" if share >= 1.0 - 1e-9 else f"{min(99.9, 100.0 * share):.3g} %"
        first = max(self.view["arrows"], key=lambda arrow: abs(arrow["x"]))
        return (
            f"The plane shows {said} of the variance, and along component 1, {shorten(first['name'], 24)} "
            "counts most"
        )

    @property
    def description(self) -> str:
        v = self.view
        loadings = "; ".join(f"{shorten(a['name'], 24)} {a['x']:.2f}, {a['y']:.2f}" for a in v["arrows"])
        drawn = f" ({len(v['rows']):,} drawn, evenly spaced)" if len(v["rows"]) < v["n"] else ""
        return (
            f"{counted(v['n'], 'row')}{drawn} in the plane of two components, with arrows along the loadings "
            f"of columns: {loadings}. {self.title}."
        )

    @property
    def height(self) -> float:
        return 4.8

    def draw(self, ax: Axes) -> None:
        v = self.view
        marks, said = stacked(v["rows"])
        ax.scatter(
            [mark[0] for mark in marks],
            [mark[1] for mark in marks],
            s=area([mark[-1] for mark in marks], 14.0, max((mark[-1] for mark in marks), default=1)),
            color=colour("validation"),
            alpha=0.45,
            linewidths=0.0,
        )
        far = max((math.hypot(*row) for row in v["rows"]), default=1.0) or 1.0
        scale = 0.8 * far / max(math.hypot(a["x"], a["y"]) for a in v["arrows"])
        names: list[Any] = []
        for arrow in v["arrows"]:
            x, y = scale * arrow["x"], scale * arrow["y"]
            style = {"arrowstyle": "-|>", "color": colour("train"), "linewidth": 1.3}
            ax.annotate("", (x, y), (0.0, 0.0), arrowprops=style)
            name = ax.annotate(
                shorten(arrow["name"], 16),
                (x, y),
                xytext=(4 if x >= 0.0 else -4, 3 if y >= 0.0 else -3),
                textcoords="offset points",
                ha="left" if x >= 0.0 else "right",
                va="bottom" if y >= 0.0 else "top",
                color=colour("train"),
                fontsize=FONT - 1,
            )
            names.append(name)
        # Arrows alone do not widen the axes.
        ax.update_datalim([(scale * a["x"], scale * a["y"]) for a in v["arrows"]])
        ax.axhline(0.0, color=colour("rule"), linewidth=0.8, zorder=0)
        ax.axvline(0.0, color=colour("rule"), linewidth=0.8, zorder=0)
        ax.margins(0.12)
        ax.autoscale_view()
        move_apart(ax, names)
        under = f"\n({said})" if said else ""
        ax.set_xlabel(f"component 1 ({100.0 * v['shares'][0]:.3g} % of the variance){under}")
        ax.set_ylabel(f"component 2 ({100.0 * v['shares'][1]:.3g} % of the variance)")
