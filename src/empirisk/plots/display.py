"""What every chart shares: a figure without global state, quiet axes, bands, and rows of intervals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from empirisk.plots.labels import in_lines, room_of
from empirisk.plots.plot import Plot, axes_of
from empirisk.plots.style import FONT, WIDTH, colour, style
from empirisk.wording import plain, power, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Display",
    "IntervalRow",
    "Json",
    "band",
    "interval_rows",
    "log_ticks",
    "on_end",
    "percent_ticks",
    "plate",
    "power_of_ten",
    "reference_line",
]

Json = dict[str, Any]


class Display(ABC):
    """One chart: takes results, says its message, draws on Axes, computes nothing.

    Subclasses are frozen dataclasses whose fields are sections of ``report.json``.
    """

    @property
    @abstractmethod
    def title(self) -> str:
        """The message of the chart, one sentence made from its numbers."""

    @property
    @abstractmethod
    def description(self) -> str:
        """What a reader who cannot see the chart should know: axes, range, main numbers."""

    @property
    def height(self) -> float:
        """Height of the figure in inches."""
        return 3.6

    @abstractmethod
    def draw(self, ax: Axes) -> None:
        """Draw on `ax`, without the title."""

    def plot(self, ax: Any = None) -> Plot:
        """Draw the chart with its title, and return the :class:`Plot`: it shows itself in a notebook.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure of its own when None (it belongs to no window and no global state), on
            opaque paper, so that a saved picture is the same on every page.
        """
        with style():
            own = ax is None
            ax = self.axes() if own else axes_of(ax)
            if own:
                ax.figure.set_facecolor(colour("paper"))
            self.draw(ax)
            words = ax.set_title("", loc="left")
            room = room_of(ax, own)

            def fits(line: str) -> bool:
                words.set_text(line)
                return bool(words.get_window_extent().width <= room)

            ax.set_title(in_lines(self.title, fits), loc="left")
        return Plot(ax, self.title, self.description)

    def axes(self) -> Axes:
        """Return the Axes of a new figure in the size of this chart."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, self.height), layout="constrained")
        FigureCanvasAgg(figure)
        return figure.add_subplot()


def band(ax: Axes, x: Sequence[float], curve: Json, role: str, *, line: str = "-") -> None:
    """Draw a curve with its interval as a band."""
    if curve["low"] is not None and curve["high"] is not None:
        ax.fill_between(x, curve["low"], curve["high"], color=colour(role), alpha=0.18, linewidth=0)
    ax.plot(x, curve["value"], color=colour(role), linewidth=1.8, linestyle=line)


def on_end(ax: Axes, x: float, y: float, said: str, role: str, **where: Any) -> Any:
    """Write a direct label beside a curve, and return the Annotation."""
    options = {"xytext": (4, 0), "ha": "left", "va": "center", **where}
    return ax.annotate(
        said, (x, y), textcoords="offset points", color=colour(role), annotation_clip=False, **options
    )


def log_ticks(ax: Axes) -> None:
    """Set a logarithmic x axis with ticks such as 10⁻⁴, as plain text."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(numticks=6))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: power_of_ten(v)))
    ax.xaxis.set_minor_formatter(NullFormatter())


def power_of_ten(v: float) -> str:
    """Return the name of a tick at a power of ten, such as 10⁻⁴ or 100."""
    from math import log10

    exponent = round(log10(v))
    return plain(v) if -2 <= exponent <= 3 else power(exponent)


@dataclass(frozen=True)
class IntervalRow:
    """One row of a dot-and-interval chart."""

    label: str
    estimate: Json
    role: str
    strong: bool = False


def interval_rows(ax: Axes, rows: Sequence[IntervalRow], said: Sequence[str], x_label: str) -> None:
    """Draw dots with intervals, one a row; labels stand above their rows, so that long names fit a narrow
    page.
    """
    ax.set_axisbelow(True)
    for i, (row, numbers) in enumerate(zip(rows, said, strict=True)):
        e, hue = row.estimate, colour(row.role)
        if e["value"] is not None:
            ax.plot(e["value"], i, "o", color=hue, markersize=6.5 if row.strong else 5)
        if e["low"] is not None and e["high"] is not None:
            ax.plot([e["low"], e["high"]], [i, i], color=hue, linewidth=2.6 if row.strong else 1.6)
        weight = "bold" if row.strong else "normal"
        place: Json = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": FONT - 0.5}
        plate(ax, i - 0.66, i - 0.25)
        ax.text(0.0, i - 0.46, shorten(row.label, 38), color=colour("ink"), fontweight=weight, **place)
        ax.text(1.0, i - 0.46, numbers, color=colour("muted"), ha="right", **place)
    ax.set_ylim(len(rows) - 0.62, -0.8)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.grid(axis="x", linewidth=0.7)
    ax.set_xlabel(x_label)


def plate(ax: Axes, top: float, bottom: float) -> None:
    """Draw a plate as tall as a line of words, so that no line of the grid runs through them."""
    ax.fill(
        [0.0, 1.0, 1.0, 0.0],
        [top, top, bottom, bottom],
        color=colour("paper"),
        linewidth=0,
        zorder=2.2,
        transform=ax.get_yaxis_transform(),
    )


def percent_ticks(axis: Any) -> None:
    """Write the ticks of an axis of shares in per cent."""
    axis.set_major_formatter(lambda v, _: f"{plain(100.0 * v, 3)} %")


def reference_line(ax: Axes, x: float, rows: int) -> None:
    """Draw a dashed vertical line that passes the dots of `rows` interval rows, and spares their labels."""
    low = [i - 0.24 for i in range(rows)]
    high = [i + 0.3 for i in range(rows)]
    ax.vlines([x] * rows, low, high, color=colour("baseline"), linewidth=1.1, linestyle=(0, (3, 2)))
