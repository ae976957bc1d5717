"""The regions of a classifier of two columns, with its margin and support vectors where it has some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.groups import hue_of, mark_of, sign_of
from empirisk.plots.style import colour
from empirisk.wording import count, percent, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DecisionBoundaryDisplay"]


@dataclass(frozen=True)
class DecisionBoundaryDisplay(Display):
    """Predicted classes as regions, paler where the model is less sure, and the rows on them.

    Parameters
    ----------
    regions : dict
        ``features``, ``x``, ``y`` (places), ``classes``, ``code`` and ``chance`` (by row of the grid; or
        None), ``score`` (or None: then no margin), ``rows`` (x, y, class), ``support`` (x, y), ``wrong`` and
        ``n``.
    """

    regions: Json

    @property
    def title(self) -> str:
        r = self.regions
        said = f"{count(r['wrong'])} of {count(r['n'])} rows are on the wrong side"
        if r["support"]:
            said += f"; support vectors: {count(len(r['support']))}"
        return said

    @property
    def description(self) -> str:
        r = self.regions
        cells = [c for line in r["code"] for c in line]
        shares = [
            f"{shorten(name, 24)} {percent(cells.count(k) / len(cells))}"
            for k, name in enumerate(r["classes"])
        ]
        return (
            f"Predicted class over {' and '.join(shorten(f, 24) for f in r['features'])}. Share of the area: "
            f"{', '.join(shares)}. {self.title}."
        )

    @property
    def height(self) -> float:
        return 4.6

    def draw(self, ax: Axes) -> None:
        from matplotlib.colors import to_rgb

        r = self.regions
        hues = [to_rgb(hue_of(k)) for k in range(len(r["classes"]))]
        rest = 1.0 - 1.0 / max(2, len(hues))
        paint = []
        for i, line in enumerate(r["code"]):
            sure = [1.0] * len(line) if r["chance"] is None else r["chance"][i]
            paint.append(
                [
                    (*hues[c], 0.06 + 0.32 * max(0.0, (s - 1.0 + rest) / rest))
                    for c, s in zip(line, sure, strict=True)
                ]
            )
        xs, ys = r["x"], r["y"]
        box = (xs[0], xs[-1], ys[0], ys[-1])
        ax.imshow(paint, origin="lower", extent=box, aspect="auto", interpolation="nearest", zorder=0)
        ink = colour("ink")
        if len(hues) > 1 and r["score"] is None:
            for k in range(1, len(hues)):
                side = [[float(c >= k) for c in line] for line in r["code"]]
                if 0.0 < sum(map(sum, side)) < len(xs) * len(ys):
                    ax.contour(xs, ys, side, levels=[0.5], colors=[ink], linewidths=1.4)
        elif r["score"] is not None:
            styles = ["dashed", "solid", "dashed"]
            ax.contour(xs, ys, r["score"], levels=[-1, 0, 1], colors=[ink], linestyles=styles, linewidths=1.3)
        for k in range(len(hues)):
            own = [row for row in r["rows"] if row[2] == k]
            ax.scatter(
                [row[0] for row in own],
                [row[1] for row in own],
                s=26,
                marker=mark_of(k),
                color=[hues[k]],
                edgecolors=colour("paper"),
                linewidths=0.6,
                zorder=3,
            )
        if r["support"]:
            at = list(zip(*r["support"], strict=True))
            ax.scatter(
                at[0],
                at[1],
                s=70,
                facecolors="none",
                edgecolors=ink,
                linewidths=0.9,
                zorder=2.9,
            )
        ax.set_xlim(*box[:2])
        ax.set_ylim(*box[2:])
        ax.set_xlabel(shorten(r["features"][0], 40))
        ax.set_ylabel(shorten(r["features"][1], 40))
        names = [(f"{sign_of(k)} {shorten(name, 18)}", hues[k]) for k, name in enumerate(r["classes"])]
        if r["support"]:
            names.append(("\u25ef support vector", to_rgb(ink)))
        if r["score"] is not None:
            names.append(("- - margin", to_rgb(ink)))
        for k, (said, hue) in enumerate(names):
            ax.text(
                (k + 0.5) / len(names), -0.2, said, color=hue, ha="center", va="top", transform=ax.transAxes
            )
