"""A network as a layered graph: neurons from left to right, arcs as wide as their weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from empirisk.plots.display import Display, Json
from empirisk.plots.style import WIDTH, colour
from empirisk.wording import count, counted, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NetworkDisplay"]

# Inches: between two neurons, between two layers at least, of a character, of a circle.
ROW, GAP, CHARACTER, RADIUS = 0.5, 1.25, 0.078, 0.13
LONGEST = 20  # characters of a name
SIZE = 9.0  # points
WIDEST, THINNEST = 3.2, 0.25  # points: arcs of the largest weight, and of none
# Numbers stand on the arcs of a layer that is small enough for them not to meet.
NEURONS, SOURCES = 2, 5


@dataclass(frozen=True)
class NetworkDisplay(Display):
    """Neurons by layers, arcs as wide as their weights: solid above 0, dashed below.

    Parameters
    ----------
    view : dict
        ``layers`` (``nodes``, ``numbers``, ``left_out``, ``neurons``, ``activation``), ``arcs`` (layer, place
        of the source, place of the target, weight), ``largest`` (``weight``, ``source``, ``target``),
        ``n_arcs``, ``units``.

    Examples
    --------
    >>> view = {"layers": [{"nodes": ["1", "x"], "numbers": [0, 1], "left_out": 0, "neurons": 1,
    ...                     "activation": ""},
    ...                    {"nodes": ["z"], "numbers": [1], "left_out": 0, "neurons": 1,
    ...                     "activation": "identity"}],
    ...         "arcs": [[1, 0, 0, 0.5], [1, 1, 0, 2.0]], "n_arcs": 2, "units": "",
    ...         "largest": {"weight": 2.0, "source": "x", "target": "z"}}
    >>> NetworkDisplay(view).title
    'Network 1-1: the largest of 2 weights, 2, goes from x to z'
    """

    view: Json

    @property
    def title(self) -> str:
        v, big = self.view, self.view["largest"]
        dashed = "-".join(str(layer["neurons"]) for layer in v["layers"])
        ends = f"from {shorten(big['source'], LONGEST)} to {shorten(big['target'], LONGEST)}"
        return (
            f"Network {dashed}: the largest of {counted(v['n_arcs'], 'weight')}, {plain(big['weight'], 3)}, "
            f"goes {ends}"
        )

    @property
    def description(self) -> str:
        drawn = [
            f"{count(layer['left_out'])} of {count(layer['neurons'])} neurons of layer {t} are left out"
            for t, layer in enumerate(self.view["layers"])
            if layer["left_out"]
        ]
        said = f"Layered graph of a network, inputs at the left. {self.title}."
        return " ".join([said, *(f"{part}." for part in drawn)])

    @property
    def height(self) -> float:
        return 1.35 + ROW * self._rows

    def axes(self) -> Axes:
        """Return the Axes of a figure that is as wide as the network is deep."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(max(WIDTH, self._width + 0.25), self.height), layout="constrained")
        FigureCanvasAgg(figure)
        return figure.add_subplot()

    def draw(self, ax: Axes) -> None:
        layers = self.view["layers"]
        self._arcs(ax)
        for t, layer in enumerate(layers):
            for i, (name, number) in enumerate(zip(layer["nodes"], layer["numbers"], strict=True)):
                self._neuron(ax, t, i, name, number)
            if layer["left_out"]:
                x, y = self._places[t][-1]
                said = f"{count(layer['left_out'])} more"
                ax.text(x, y + ROW, said, ha="center", va="center", fontsize=SIZE, color=colour("muted"))
        ax.set_xlim(0.0, self._width)
        ax.set_ylim(ROW * (self._rows - 0.4), -0.6 * ROW)
        ax.set_xticks([place[0][0] for place in self._places], [self._caption(t) for t in range(len(layers))])
        ax.tick_params(axis="x", length=0, labelsize=SIZE)
        ax.set_yticks([])
        for spine in ax.spines.values():
            spine.set_visible(False)
        ax.set_xlabel(self._legend(), fontsize=SIZE)

    def _arcs(self, ax: Axes) -> None:
        """Draw the arcs, wide ones on top, with their weights on them where there is room."""
        from matplotlib.collections import LineCollection

        arcs = sorted(self.view["arcs"], key=lambda arc: abs(arc[3]))
        ends = [(self._places[t - 1][a], self._neurons(t)[b]) for t, a, b, _ in arcs]
        weights = [weight for *_, weight in arcs]
        top = max(map(abs, weights)) or 1.0
        ax.add_collection(
            LineCollection(
                ends,
                colors=[colour("train" if w > 0 else "validation") for w in weights],
                linewidths=[THINNEST + (WIDEST - THINNEST) * abs(w) / top for w in weights],
                linestyles=["-" if w > 0 else (0, (3, 1.2)) for w in weights],
                zorder=1,
            )
        )
        plate: Any = {"boxstyle": "round,pad=0.12", "facecolor": colour("paper"), "linewidth": 0.0}
        at = 0.3  # of the way: arcs of two neurons are 0.3 or 0.4 rows apart there
        for (t, *_, weight), ((x0, y0), (x1, y1)) in zip(arcs, ends, strict=True):
            if self._numbered(t):
                ax.text(
                    x0 + at * (x1 - x0),
                    y0 + at * (y1 - y0),
                    plain(weight, 2),
                    ha="center",
                    va="center",
                    fontsize=SIZE - 1.5,
                    color=colour("ink"),
                    bbox=plate,
                    zorder=2.5,
                )

    def _neuron(self, ax: Axes, t: int, i: int, name: str, number: int) -> None:
        """Draw a circle with the number of its neuron, a square for the constant; ends have names."""
        x, y = self._places[t][i]
        ends, constant = t in (0, len(self.view["layers"]) - 1), number == 0
        ax.plot(
            [x],
            [y],
            color=colour("ink"),
            marker="s" if constant else "o",
            markersize=10.0 if constant else 15.0,
            markerfacecolor=colour("paper"),
            markeredgecolor=colour("muted" if constant else "ink"),
            markeredgewidth=0.9,
            zorder=3,
        )
        place: Any = {"va": "center", "fontsize": SIZE, "zorder": 4}
        if constant or not ends:
            said = "1" if constant else str(number)
            size = SIZE - 2.0 if constant or number < 100 else SIZE - 3.5
            hue = colour("muted" if constant else "ink")
            ax.text(x, y, said, ha="center", color=hue, **{**place, "fontsize": size})
        else:
            side, where = (-1.0, "right") if t == 0 else (1.0, "left")
            ax.text(
                x + side * (RADIUS + 0.06), y, shorten(name, LONGEST), ha=where, color=colour("ink"), **place
            )

    # -- words ------------------------------------------------------------------------------------

    def _caption(self, t: int) -> str:
        layer = self.view["layers"][t]
        last = len(self.view["layers"]) - 1
        noun = "input" if t == 0 else "score" if t == last else "neuron"
        bend = (
            "" if layer["activation"] in ("", "identity") else "\n" + layer["activation"].replace(", ", "\n")
        )
        return f"layer {t}\n{counted(layer['neurons'], noun)}{bend}"

    def _legend(self) -> str:
        said = "the wider, the larger the weight; solid above 0, dashed below"
        if any(layer["left_out"] for layer in self.view["layers"]):
            said += "\nof large layers the neurons of the largest weights are drawn"
        return f"{said}\ninputs are {self.view['units']}" if self.view["units"] else said

    # -- layout, in inches ------------------------------------------------------------------------

    def _numbered(self, t: int) -> bool:
        """Return whether the arcs into a layer carry their weights."""
        return len(self._neurons(t)) <= NEURONS and len(self.view["layers"][t - 1]["nodes"]) <= SOURCES

    def _neurons(self, t: int) -> list[tuple[float, float]]:
        """Return the places of a layer without its constant."""
        numbers = self.view["layers"][t]["numbers"]
        return [place for place, number in zip(self._places[t], numbers, strict=True) if number]

    @property
    def _rows(self) -> int:
        return max(len(layer["nodes"]) + bool(layer["left_out"]) for layer in self.view["layers"])

    @cached_property
    def _places(self) -> list[list[tuple[float, float]]]:
        """Centre of each neuron, layer by layer."""
        layers = self.view["layers"]
        sides = [max(0.5, RADIUS + 0.1 + CHARACTER * self._longest(t)) for t in (0, len(layers) - 1)]
        gap = max(GAP, (WIDTH - 0.25 - sum(sides)) / (len(layers) - 1))
        middle, places = 0.5 * (self._rows - 1), []
        for t, layer in enumerate(layers):
            first = middle - 0.5 * (len(layer["nodes"]) + bool(layer["left_out"]) - 1)
            places.append([(sides[0] + t * gap, ROW * (first + i)) for i in range(len(layer["nodes"]))])
        return places

    def _longest(self, t: int) -> int:
        return max(len(shorten(name, LONGEST)) for name in self.view["layers"][t]["nodes"])

    @property
    def _width(self) -> float:
        last = len(self.view["layers"]) - 1
        return self._places[last][0][0] + max(0.5, RADIUS + 0.1 + CHARACTER * self._longest(last))
