"""The matrix of a kernel, sorted: blocks of rows that are alike, and whether it is a kernel at all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import colour
from empirisk.wording import count, listed, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["KernelMatrixDisplay"]

NUMBERED = 4  # classes at most whose blocks have room for their means


@dataclass(frozen=True)
class KernelMatrixDisplay(Display):
    """Values of a kernel on pairs of rows: the darker, the more alike; negative values in another colour.

    Parameters
    ----------
    matrix : dict
        ``kernel``, ``shade`` (m x m, from -1 to 1), ``range``, ``classes``, ``sizes``, ``likeness`` (means of
        the blocks, or None), ``within``, ``between``, ``note``, ``n_given`` and ``eigenvalue`` (smallest,
        error, holds, rows, places).
    """

    matrix: Json

    @property
    def title(self) -> str:
        m, e = self.matrix, self.matrix["eigenvalue"]
        kernel = shorten(m["kernel"], 60)
        if not e["holds"]:
            return (
                f"{kernel} is no Mercer kernel: an eigenvalue is {plain(e['smallest'], 3)}, and its witness "
                f"weighs rows {listed([str(r) for r in e['rows']])} most"
            )
        if m["note"]:
            return str(m["note"])
        if m["within"] is None:
            return f"{kernel}: rows of different classes are alike by {plain(m['between'], 3)} on average"
        if m["between"] is None:
            return f"{kernel}: two different rows are alike by {plain(m['within'], 3)} on average"
        return (
            f"{kernel}: rows of one class are alike by {plain(m['within'], 3)} on average, of different "
            f"classes by {plain(m['between'], 3)}"
        )

    @property
    def description(self) -> str:
        m, e = self.matrix, self.matrix["eigenvalue"]
        shown = sum(m["sizes"])
        rows = count(shown) if shown == m["n_given"] else f"{count(shown)} of {count(m['n_given'])}"
        sorted_by = "sorted by class" if len(m["classes"]) > 1 else "in the given order"
        low, high = (plain(v, 3) for v in m["range"])
        parts = [
            f"Matrix of a kernel on {rows} rows, {sorted_by}, with values from {low} to {high}. {self.title}."
        ]
        names, means = [shorten(c, 24) for c in m["classes"]], m["likeness"]
        if len(names) > 1:
            said = [
                f"{name} {plain(means[k][k], 3) if means[k][k] is not None else 'has one row'}"
                for k, name in enumerate(names)
            ]
            pairs = [(means[i][j], i, j) for i in range(len(names)) for j in range(i)]
            top, i, j = max(pairs)
            parts.append(
                f"Mean likeness within each class: {listed(said)}. The most alike of two classes: "
                f"{names[j]} and {names[i]} ({plain(top, 3)})."
            )
        if e["holds"]:
            parts.append(
                f"The smallest eigenvalue is {plain(e['smallest'], 2)}, not negative beyond rounding "
                f"({plain(e['error'], 1)})."
            )
        return " ".join(parts)

    @property
    def height(self) -> float:
        return 5.2

    def draw(self, ax: Axes) -> None:
        from matplotlib.colors import to_rgb

        m, n = self.matrix, sum(self.matrix["sizes"])
        alike, unlike = to_rgb(colour("validation")), to_rgb(colour("reference"))
        paint = [
            [(*(alike if v >= 0.0 else unlike), 0.02 + 0.83 * abs(v)) for v in line] for line in m["shade"]
        ]
        ax.imshow(paint, extent=(0, n, n, 0), aspect="equal", interpolation="nearest", zorder=0)
        ends = list(accumulate(m["sizes"], initial=0))
        for at in ends[1:-1]:
            ax.axhline(at, color=colour("ink"), linewidth=0.9)
            ax.axvline(at, color=colour("ink"), linewidth=0.9)
        self._write_means(ax, ends)
        middles = [0.5 * (a + b) for a, b in pairwise(ends)]
        if len(middles) > 1:
            names = [shorten(c, 14) for c in m["classes"]]
            ax.set_xticks(middles, names, rotation=0 if len(names) <= 3 else 90)
            ax.set_yticks(middles, names)
            ax.set_ylabel("class of the row")
        else:
            ax.set_ylabel("row, in the given order")
        ax.set_xlabel("darker: more alike" + ("; red: negative" if m["range"][0] < 0.0 else ""))
        if not m["eigenvalue"]["holds"]:
            self._name_rows(ax, n)
        ax.set_xlim(0, n)
        ax.set_ylim(n, 0)
        ax.tick_params(length=0)

    def _name_rows(self, ax: Axes, n: int) -> None:
        """Point at the rows that the witness weighs most; of rows side by side one is named."""
        e = self.matrix["eigenvalue"]
        named: list[int] = []
        for place, row in zip(e["places"], e["rows"], strict=True):
            apart = all(abs(place - other) > 0.05 * n for other in named)
            ax.annotate(
                f"\u25c4 row {row}" if apart else "\u25c4", (n, place + 0.5), xytext=(2, 0), va="center",
                textcoords="offset points", color=colour("reference"), annotation_clip=False,
            )  # fmt: skip
            named += [place] if apart else []

    def _write_means(self, ax: Axes, ends: list[int]) -> None:
        """Write the mean of each block into it, on a plate of paper, where the classes are few."""
        means = self.matrix["likeness"]
        if not 1 < len(means) <= NUMBERED:
            return
        plate = {
            "facecolor": colour("paper"),
            "edgecolor": "none",
            "alpha": 0.85,
            "boxstyle": "round,pad=0.2",
        }
        for i, line in enumerate(means):
            for j, mean in enumerate(line):
                if mean is not None and min(ends[i + 1] - ends[i], ends[j + 1] - ends[j]) > 0.08 * ends[-1]:
                    at = 0.5 * (ends[j] + ends[j + 1]), 0.5 * (ends[i] + ends[i + 1])
                    ax.text(*at, plain(mean, 2), ha="center", va="center", bbox=plate, color=colour("ink"))
