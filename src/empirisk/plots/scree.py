"""Shares of the variance of principal components, beside those of columns that have nothing in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import FONT, colour
from empirisk.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ScreeDisplay"]


@dataclass(frozen=True)
class ScreeDisplay(Display):
    """The share of the variance of each component, and what it would be for unrelated columns.

    Parameters
    ----------
    scree : dict
        ``values``, ``reference`` (or None), ``name`` of the reference, ``kept``, ``columns`` and
        ``explained``.

    Examples
    --------
    >>> scree = {"values": [0.6, 0.3, 0.1], "reference": [0.4, 0.35, 0.3], "name": "independent columns"}
    >>> ScreeDisplay({**scree, "kept": 1, "columns": 3, "explained": 0.6}).title
    '1 component exceeds those of independent columns; the 1 kept explains 60 % of the variance'
    """

    scree: Json

    def _above(self) -> int:
        """Return how many components exceed the reference before the first that does not."""
        pairs = zip(self.scree["values"], self.scree["reference"], strict=True)
        over = [value > against for value, against in pairs]
        return over.index(False) if False in over else len(over)

    @property
    def title(self) -> str:
        s = self.scree
        # A share below 1 is never said to be all of it.
        share = "all" if s["explained"] >= 1.0 - 1e-9 else f"{min(99.9, 100.0 * s['explained']):.3g} %"
        kept = f"the {s['kept']:,} kept explain{'s' if s['kept'] == 1 else ''} {share} of the variance"
        if s["reference"] is None:
            return kept[0].upper() + kept[1:]
        above = self._above()
        head = counted(above, "component") if above else "No component"
        more = " or more" if above == len(s["values"]) < s["columns"] else ""
        return f"{head}{more} exceed{'s' if above in (0, 1) else ''} those of {s['name']}; {kept}"

    @property
    def description(self) -> str:
        s = self.scree
        shares = ", ".join(f"{100.0 * v:.3g}" for v in s["values"][:10])
        return (
            f"Shares of the variance of {counted(s['columns'], 'column')} by component, in per cent: {shares}"
            f"{' and so on' if len(s['values']) > 10 else ''}. {self.title}."
        )

    def draw(self, ax: Axes) -> None:
        from matplotlib.ticker import MaxNLocator

        s = self.scree
        x = range(1, len(s["values"]) + 1)
        values = [100.0 * v for v in s["values"]]
        kept = min(s["kept"], len(values))
        ax.plot(x, values, color=colour("validation"), linewidth=1.4, zorder=2)
        for first, last, fill in ((0, kept, "validation"), (kept, len(values), "paper")):
            ax.plot(
                x[first:last],
                values[first:last],
                "o",
                color=colour("validation"),
                markerfacecolor=colour(fill),
                markersize=5.5,
                zorder=3,
            )
        against = [100.0 * v for v in s["reference"] or ()]
        ax.plot(x[: len(against)], against, color=colour("baseline"), linewidth=1.4, linestyle=(0, (4, 2)))
        # Shares fall, so that the upper right is free where the axis ends above them.
        ax.set_ylim(0.0, 1.3 * max(*values, *against))
        ax.set_yticks([t for t in ax.get_yticks() if t <= 100.0])
        key = [("\u25cf variance (filled: kept)", "validation")]
        key += [(f"\u2013 \u2013 {s['name']}", "baseline")] if against else []
        for i, (said, role) in enumerate(key):
            ax.annotate(
                said,
                (1.0, 1.0),
                xycoords="axes fraction",
                xytext=(0, -2 - 1.35 * FONT * i),
                textcoords="offset points",
                ha="right",
                va="top",
                color=colour(role),
            )
        ax.set_xlim(0.5, len(values) + 0.5)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlabel("component")
        ax.set_ylabel("share of the variance (%)")
        ax.grid(axis="y", linewidth=0.7)
