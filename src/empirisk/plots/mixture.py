"""The parts of a mixture of Gaussians over its rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from empirisk.plots.groups import hue_of
from empirisk.plots.parts import PartsDisplay
from empirisk.plots.style import colour
from empirisk.wording import count, percent, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MixtureDisplay"]


@dataclass(frozen=True)
class MixtureDisplay(PartsDisplay):
    """Rows by part, with ellipses that hold half and nine tenths of each; of one column, its densities.

    Parameters
    ----------
    parts : dict
        ``features``, ``rows`` (x, y, part), ``n``, ``weights``, ``means``, ``ellipses`` (for each part its
        lines; of one column mean and deviation), ``shares``, and ``apart``, the smallest distance of two
        means in deviations.
    """

    noun: ClassVar[str] = "Gaussian"

    @property
    def told_apart(self) -> str:
        apart = self.parts["apart"]
        if apart < 2.0:
            return f"the nearest two overlap ({plain(apart, 2)} deviations apart)"
        return f"all means are at least {plain(apart, 2)} deviations apart"

    @property
    def description(self) -> str:
        m = self.parts
        each = ", ".join(
            f"{percent(w)} at ({', '.join(plain(c, 3) for c in mean)})"
            for w, mean in zip(m["weights"], m["means"], strict=True)
        )
        lines = "densities" if len(m["features"]) == 1 else "ellipses that hold 50 % and 90 % of each part"
        return (
            f"{count(len(m['rows']))} of {count(m['n'])} rows over "
            f"{' and '.join(shorten(f, 24) for f in m['features'])}, with {lines}. Parts: {each}."
        )

    def draw(self, ax: Axes) -> None:
        m = self.parts
        if len(m["features"]) == 1:
            self._draw_densities(ax)
            return
        said = self.scatter(ax)
        for k in range(len(m["weights"])):
            hue = hue_of(k)
            for line, width in zip(m["ellipses"][k], (1.8, 1.1), strict=True):
                ax.plot([c[0] for c in line], [c[1] for c in line], color=hue, linewidth=width, zorder=3)
            ax.plot(
                *m["means"][k], marker="+", markersize=10, markeredgewidth=2, color=colour("ink"), zorder=4
            )
        ax.set_xlabel(shorten(m["features"][0], 40) + said)
        ax.set_ylabel(shorten(m["features"][1], 40))

    def _draw_densities(self, ax: Axes) -> None:
        m = self.parts
        values = [row[0] for row in m["rows"]]
        bins = max(10, min(60, int(2.0 * math.sqrt(len(values)))))
        if min(values) < max(values):
            ax.hist(values, bins=bins, density=True, color=colour("rule"))
        low = min(min(values), *(mean - 3.0 * s for mean, s in m["ellipses"]))
        high = max(max(values), *(mean + 3.0 * s for mean, s in m["ellipses"]))
        grid = [low + (high - low) * i / 400.0 for i in range(401)]
        total = [0.0] * len(grid)
        for k, ((mean, s), w) in enumerate(zip(m["ellipses"], m["weights"], strict=True)):
            curve = [
                w * math.exp(-0.5 * ((x - mean) / s) ** 2) / (s * math.sqrt(2.0 * math.pi)) for x in grid
            ]
            total = [a + b for a, b in zip(total, curve, strict=True)]
            ax.plot(grid, curve, color=hue_of(k), linewidth=1.6)
        ax.plot(grid, total, color=colour("ink"), linewidth=1.1, linestyle=(0, (4, 3)))
        ax.set_xlabel(shorten(m["features"][0], 40))
        ax.set_ylabel("density")
