"""Risk of the prunings of a tree against their size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from empirisk.plots.display import Display, on_end
from empirisk.plots.labels import move_apart
from empirisk.plots.style import colour
from empirisk.wording import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CostComplexityDisplay"]


@dataclass(frozen=True)
class CostComplexityDisplay(Display):
    """Training and held-out risk of each subtree, with one standard error, and the size that was chosen.

    Parameters
    ----------
    path : CostComplexityPath
        What ``tree.path_`` or ``cost_complexity_path`` is.
    """

    path: Any

    @property
    def title(self) -> str:
        p = self.path
        if p.cv_risk is None:
            return f"{len(p)} prunings, from {p.n_leaves[0]} leaves to 1"
        best, chosen = p.index_min, p.index
        said = (
            f"The held-out risk is least with {p.n_leaves[best]} leaves ({plain(float(p.cv_risk[best]), 3)})"
        )
        if chosen == best:
            return said
        return f"{said}; {p.n_leaves[chosen]} are within one standard error"

    @property
    def description(self) -> str:
        p = self.path
        said = (
            f"Line chart of {p.loss} against the number of leaves, {p.n_leaves[0]} to 1; on training rows it "
            f"runs from {plain(float(p.risk[0]), 3)} to {plain(float(p.risk[-1]), 3)}."
        )
        if p.cv_risk is None:
            return said
        return f"{said} Held out it is {plain(float(p.cv_risk[p.index]), 3)} at the chosen size."

    def draw(self, ax: Axes) -> None:
        p = self.path
        x = np.asarray(p.n_leaves, dtype=float)
        if x[0] > 30:
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter(lambda v, _: plain(float(v), 3))
        ax.plot(x, p.risk, color=colour("train"), linewidth=1.6, drawstyle="steps-mid")
        names = [on_end(ax, x[0], float(p.risk[0]), "training", "train")]
        if p.cv_risk is not None:
            names.append(self._held_out(ax, x))
        move_apart(ax, names)
        ax.grid(axis="y", linewidth=0.7)
        ax.set_xlabel("leaves")
        ax.set_ylabel(p.loss.replace("_", " "))

    def _held_out(self, ax: Axes, x: np.ndarray) -> Any:
        """Draw the held-out risk with its band and the choice, and return the name of the curve."""
        p, hue = self.path, colour("validation")
        ax.fill_between(x, p.cv_risk - p.cv_se, p.cv_risk + p.cv_se, color=hue, alpha=0.18, linewidth=0)
        ax.plot(x, p.cv_risk, color=hue, linewidth=1.8, marker="o", markersize=3.5)
        name = on_end(ax, x[0], float(p.cv_risk[0]), "held out", "validation")
        limit = float(p.cv_risk[p.index_min] + p.cv_se[p.index_min])
        ax.axhline(limit, color=colour("baseline"), linewidth=0.9, linestyle=(0, (3, 2)))
        ax.axvline(x[p.index], color=colour("ink"), linewidth=0.9, linestyle=(0, (4, 3)))
        place: Any = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "va": "top"}
        ax.annotate(f"chosen: {p.n_leaves[p.index]}", (x[p.index], 1), xytext=(3, -2), **place)
        return name
