"""The map of a search: loss over two settings, the best one, and all that nobody can tell from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from empirisk.plots.display import Display, Json, power_of_ten
from empirisk.plots.style import colour
from empirisk.wording import counted, listed, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ModelSelectionGridDisplay"]

PIXELS = 240  # of the picture along each axis, in which the cells are painted
TICKS = 6  # at most, along each axis


@dataclass(frozen=True)
class ModelSelectionGridDisplay(Display):
    """Loss over two settings: darker is better, the outlined cells lie within one standard error of the best.

    Every cell has the shade of the setting that was tried in it; where the search zoomed in, cells are
    smaller and a dashed box is drawn around the finer grid.

    Parameters
    ----------
    grid : dict
        What :func:`empirisk.search.grid_section.grid_section` returns.
    """

    grid: Json

    @property
    def title(self) -> str:
        g = self.grid
        best, n = g["settings"][g["best"]], len(g["settings"])
        extreme = "highest" if g["greater_is_better"] else "lowest"
        said = f"{g['metric']} is {extreme} ({plain(best['value'], 3)}) at {_where(g, best)}"
        close = sum(s["within"] for s in g["settings"]) - 1
        if close == 0:
            return f"{said}; no other setting is within one standard error"
        are = "is" if close == 1 else "are"
        return f"{said}; {close} of {counted(n - 1, 'other')} {are} within one standard error"

    @property
    def description(self) -> str:
        g = self.grid
        first = [s for s in g["settings"] if s["first"]]
        finer = len(g["settings"]) - len(first)
        values = [s["value"] for s in g["settings"]]
        parts = [
            f"Heat map of {g['metric']} over {_span(g['x'])} and {_span(g['y'])}: "
            f"{counted(len(first), 'setting')}, from {plain(min(values), 3)} to {plain(max(values), 3)}. "
            f"{self.title}."
        ]
        if finer:
            best = (max if g["greater_is_better"] else min)(s["value"] for s in first)
            end = g["settings"][g["best"]]["value"]
            led = "found none better" if end == best else f"led from {plain(best, 4)} to {plain(end, 4)}"
            parts.append(f"A finer grid of {counted(finer, 'setting')} around the best {led}.")
        inside = [s for s in g["settings"] if s["within"]]
        if len(inside) > 1:
            spans = [_reach(g[k]["label"], [s[k] for s in inside]) for k in ("x", "y")]
            parts.append(f"Within one standard error: {listed(spans)}.")
        if g["chosen"] is None or g["chosen"] != g["best"]:
            at = "another setting" if g["chosen"] is None else _where(g, g["settings"][g["chosen"]])
            parts.append(f"Chosen as the simplest within one standard error: {at}.")
        for name, side in g["edge"].items():
            parts.append(f"The best {name} is the {side} tried: others beyond may do better.")
        if g["rest"]:
            fixed = listed([f"{k} = {shorten(v, 30)}" for k, v in g["rest"].items()])
            parts.append(f"All have {fixed}, as the best has.")
        if g["missing"]:
            states = listed(sorted({m["state"] for m in g["missing"]}))
            parts.append(f"{counted(len(g['missing']), 'setting')} without a score ({states}).")
        return " ".join(parts)

    @property
    def height(self) -> float:
        return 4.6

    def draw(self, ax: Axes) -> None:
        from matplotlib.colors import to_rgb

        g, ink = self.grid, colour("ink")
        (xs, x_edges), (ys, y_edges) = _places(g["x"]), _places(g["y"])
        hue = to_rgb(colour("validation"))
        paint = [
            [(*hue, 0.05 + 0.75 * (1.0 - g["settings"][g["cells"][i][j]]["shade"])) for j in _pixels(x_edges)]
            for i in _pixels(y_edges)
        ]
        box = (x_edges[0], x_edges[-1], y_edges[0], y_edges[-1])
        ax.imshow(paint, origin="lower", extent=box, aspect="auto", interpolation="nearest", zorder=0)
        for a, b in _outline(g, x_edges, y_edges):
            ax.plot(
                [a[0], b[0]], [a[1], b[1]], color=ink, linewidth=1.6, solid_capstyle="round", zorder=3,
                clip_on=False,
            )  # fmt: skip
        self._mark_settings(ax)
        finer = [s for s in g["settings"] if not s["first"]]
        if finer:
            _box(ax, g, [*finer, g["settings"][g["best"]]])
        for axis, at, key in ((ax.xaxis, xs, "x"), (ax.yaxis, ys, "y")):
            told = [_on(g[key], s[key]) for s in g["settings"] if s["first"]] or at
            _name_ticks(axis, g[key], sorted(set(told)))
            axis.set_label_text(shorten(g[key]["label"], 40))
        ax.set_xlim(box[0], box[1])
        ax.set_ylim(box[2], box[3])
        ax.tick_params(length=0)
        self._explain(ax, bool(finer))

    def _mark_settings(self, ax: Axes) -> None:
        g = self.grid
        for s in g["settings"]:
            dark = s["shade"] < 0.5
            ax.plot(
                _on(g["x"], s["x"]), _on(g["y"], s["y"]), "o", markersize=2.2, zorder=3,
                color=colour("paper" if dark else "muted"),
            )  # fmt: skip
        for m in g["missing"]:
            ax.plot(_on(g["x"], m["x"]), _on(g["y"], m["y"]), "x", color=colour("reference"), zorder=4)
        best = g["settings"][g["best"]]
        at = _on(g["x"], best["x"]), _on(g["y"], best["y"])
        ax.plot(*at, "*", color=colour("paper"), markersize=15, markeredgecolor=colour("ink"), zorder=5)
        if g["chosen"] is not None and g["chosen"] != g["best"]:
            one = g["settings"][g["chosen"]]
            at = _on(g["x"], one["x"]), _on(g["y"], one["y"])
            ax.plot(*at, "D", color=colour("paper"), markersize=8, markeredgecolor=colour("ink"), zorder=5)

    def _explain(self, ax: Axes, zoomed: bool) -> None:
        g = self.grid
        names = [
            "\u2606 best",
            "\u25a2 within one standard error",
            "darker: higher" if g["greater_is_better"] else "darker: lower",
        ]
        if g["chosen"] is not None and g["chosen"] != g["best"]:
            names.insert(1, "\u25c7 chosen")
        if zoomed:
            names.append("- - zoom")
        if g["missing"]:
            names.append("\u00d7 no score")
        said = "\n".join("   ".join(names[k : k + 5]) for k in range(0, len(names), 5))
        ax.text(
            0.0, -0.19, said, color=colour("ink"), ha="left", va="top", transform=ax.transAxes, fontsize=9.5
        )


def _where(g: Json, s: Json) -> str:
    return f"{g['x']['label']} = {plain(s['x'], 2)}, {g['y']['label']} = {plain(s['y'], 2)}"


def _span(axis: Json) -> str:
    return f"{axis['label']} ({plain(axis['values'][0], 2)} to {plain(axis['values'][-1], 2)})"


def _reach(label: str, values: list[float]) -> str:
    low, high = min(values), max(values)
    return f"{label} {plain(low, 2)}" if low == high else f"{label} from {plain(low, 2)} to {plain(high, 2)}"


def _on(axis: Json, value: float) -> float:
    """Return where a value stands on its axis: at its logarithm where the axis is wide."""
    return math.log10(value) if axis["scale"] == "log" else value


def _places(axis: Json) -> tuple[list[float], list[float]]:
    """Return the places of the values, and the edges of their cells: half-way, and as far beyond the ends."""
    at = [_on(axis, v) for v in axis["values"]]
    middles = [0.5 * (a + b) for a, b in pairwise(at)]
    return at, [2.0 * at[0] - middles[0], *middles, 2.0 * at[-1] - middles[-1]]


def _pixels(edges: list[float]) -> list[int]:
    """Return the cell that each pixel lies in."""
    out, cell = [], 0
    for k in range(PIXELS):
        at = edges[0] + (k + 0.5) / PIXELS * (edges[-1] - edges[0])
        while cell < len(edges) - 2 and at >= edges[cell + 1]:
            cell += 1
        out.append(cell)
    return out


def _outline(g: Json, x: list[float], y: list[float]) -> list[tuple[Any, Any]]:
    """Return the sides of cells that part settings within one standard error from the others."""
    inside = [[g["settings"][k]["within"] for k in line] for line in g["cells"]]
    rows, columns, out = len(inside), len(inside[0]), []
    for i in range(rows):
        for j in range(columns + 1):
            left, right = j > 0 and inside[i][j - 1], j < columns and inside[i][j]
            if left != right:
                out.append(((x[j], y[i]), (x[j], y[i + 1])))
    for j in range(columns):
        for i in range(rows + 1):
            below, above = i > 0 and inside[i - 1][j], i < rows and inside[i][j]
            if below != above:
                out.append(((x[j], y[i]), (x[j + 1], y[i])))
    return out


def _box(ax: Axes, g: Json, finer: list[Json]) -> None:
    """Draw a dashed box around the cells of the finer grid, in which the best one lies."""
    ends = []
    for key in ("x", "y"):
        at, edges = _places(g[key])
        own = [_on(g[key], s[key]) for s in finer]
        ends.append((edges[at.index(min(own))], edges[at.index(max(own)) + 1]))
    (a, b), (c, d) = ends
    dashed = (0, (4, 3))
    ax.plot(
        [a, b, b, a, a], [c, c, d, d, c], color=colour("train"), linewidth=1.3, linestyle=dashed, zorder=4
    )


def _name_ticks(axis: Any, given: Json, at: list[float]) -> None:
    """Name values of the first grid along an axis, so many that their names do not touch."""
    step = -(-len(at) // TICKS)
    shown = at[::step]
    axis.set_ticks(shown, [_tick(u) if given["scale"] == "log" else plain(u, 2) for u in shown])


def _tick(u: float) -> str:
    """Return ten to this power in words: as a power where it is a whole one."""
    return power_of_ten(10.0**u) if abs(u - round(u)) < 1e-9 else plain(10.0**u, 2)
