"""The lines of a mixture of regressions over its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from empirisk.plots.groups import hue_of
from empirisk.plots.parts import PartsDisplay
from empirisk.wording import count, percent, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RegressionMixtureDisplay"]


@dataclass(frozen=True)
class RegressionMixtureDisplay(PartsDisplay):
    """Rows by their line over one column, each line with a band of two deviations.

    Parameters
    ----------
    parts : dict
        ``feature``, ``rows`` (x, y, line), ``n``, ``others`` (columns held at their means), ``weights``,
        ``sigma``, ``slopes``, ``lines`` (two ends each), and ``sure``, the mean of the largest chances.
    """

    noun: ClassVar[str] = "line"

    @property
    def told_apart(self) -> str:
        return f"a row's own line has the chance {percent(self.parts['sure'])} in the mean"

    @property
    def description(self) -> str:
        m = self.parts
        each = "; ".join(
            f"{percent(w)} with slope {plain(b, 3)} and deviation {plain(s, 3)}"
            for w, b, s in zip(m["weights"], m["slopes"], m["sigma"], strict=True)
        )
        held = "" if m["others"] == 0 else f" {count(m['others'])} other columns are held at their means."
        return (
            f"{count(len(m['rows']))} of {count(m['n'])} rows over {shorten(m['feature'], 24)}, with a band "
            f"of two deviations about each line.{held} Lines: {each}."
        )

    def draw(self, ax: Axes) -> None:
        m = self.parts
        said = self.scatter(ax)
        for k, (line, s) in enumerate(zip(m["lines"], m["sigma"], strict=True)):
            hue = hue_of(k)
            x, y = [end[0] for end in line], [end[1] for end in line]
            ax.plot(x, y, color=hue, linewidth=1.8, zorder=3)
            low, high = ([v + far * s for v in y] for far in (-2.0, 2.0))
            ax.fill_between(x, low, high, color=hue, alpha=0.1, linewidth=0, zorder=1)  # below the rows
        ax.set_xlabel(shorten(m["feature"], 40) + said)
        ax.set_ylabel("y")
