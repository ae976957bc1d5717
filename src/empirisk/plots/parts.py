"""What the charts of mixtures share: rows by the part to which each belongs, and the size of the smallest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from empirisk.plots.display import Display, Json
from empirisk.plots.groups import hue_of, mark_of
from empirisk.plots.stacks import area, stacked
from empirisk.wording import count, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PartsDisplay"]


@dataclass(frozen=True)
class PartsDisplay(Display):
    """Rows in a plane, each with the mark of its part.

    A subclass gives `noun`, what a part is called; `told_apart`, how well they can be told apart, in words
    that end the title where there are several; `description`; and `draw`.

    Parameters
    ----------
    parts : dict
        ``rows`` (x, y, part), ``n``, ``weights``, and what the subclass adds.
    """

    parts: Json

    noun: ClassVar[str]

    @property
    def told_apart(self) -> str:
        """How well two parts or more can be told apart, in words that end a sentence."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        m = self.parts
        k, share = len(m["weights"]), min(m["weights"])
        if k == 1:
            return f"One {self.noun} for {count(m['n'])} rows"
        return f"{k} {self.noun}s, the smallest with {percent(share)} of the rows; {self.told_apart}"

    @property
    def height(self) -> float:
        return 4.4

    def scatter(self, ax: Axes) -> str:
        """Draw the rows, and return what their sizes mean as a line for below the axis, if any."""
        marks, said = stacked(self.parts["rows"])
        most = max((mark[-1] for mark in marks), default=1)
        for k in range(len(self.parts["weights"])):
            own = [mark for mark in marks if mark[2] == k]
            ax.scatter(
                [mark[0] for mark in own],
                [mark[1] for mark in own],
                s=area([mark[-1] for mark in own], 14.0, most),
                marker=mark_of(k),
                color=hue_of(k),
                alpha=0.55,
                linewidths=0,
                zorder=2,
            )
        if said:
            ax.margins(0.12)  # large marks stay inside
        return f"\n({said})" if said else ""
