"""How many classes the prediction sets of rows hold: the fewer, the more the model knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import colour
from empirisk.wording import count, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SetSizesDisplay"]

LABELLED = 12  # bars that carry their counts, in the place of lines across


@dataclass(frozen=True)
class SetSizesDisplay(Display):
    """The number of rows whose set holds no class, one, two and so on.

    Parameters
    ----------
    sizes : dict
        ``rows``: the numbers of rows with 0, 1, ..., K classes; ``level``: the nominal coverage.

    Examples
    --------
    >>> SetSizesDisplay({"rows": [0, 80, 15, 5], "level": 0.9}).title
    'The 90 % prediction set holds one class in 80 of 100 rows'
    """

    sizes: Json

    @property
    def title(self) -> str:
        rows, level = self.sizes["rows"], percent(self.sizes["level"])
        return f"The {level} prediction set holds one class in {count(rows[1])} of {count(sum(rows))} rows"

    @property
    def description(self) -> str:
        rows = self.sizes["rows"]
        said = ", ".join(f"{k}: {count(m)}" for k, m in enumerate(rows) if m)
        return f"Bars: the number of rows by the number of classes in the prediction set. {said}."

    def draw(self, ax: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        rows = self.sizes["rows"]
        roles = ["baseline" if k == 0 else "test" for k in range(len(rows))]
        bars = ax.bar(range(len(rows)), rows, width=0.7, color=[colour(role) for role in roles])
        if len(rows) <= LABELLED:
            ax.bar_label(bars, labels=[count(m) if m else "" for m in rows], color=colour("ink"), padding=2)
        else:
            ax.grid(axis="y", linewidth=0.7)
            ax.set_axisbelow(True)
        ax.margins(y=0.12)
        ax.set_xlim(-0.6, len(rows) - 0.4)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlabel("classes in the set")
        ax.set_ylabel("rows")
