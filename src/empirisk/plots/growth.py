"""The growth function of a hypothesis class against all labellings."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, on_end
from empirisk.plots.style import colour
from empirisk.wording import count, power

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["GrowthDisplay"]


@dataclass(frozen=True)
class GrowthDisplay(Display):
    """How many labellings of m points a class can realise, beside the ``2^m`` that there are.

    Parameters
    ----------
    growth : dict
        ``name`` of the class, ``m`` (numbers of points), ``growth`` (realisable labellings, exact or an upper
        bound), ``exact`` (whether) and ``vc_dimension`` (None when infinite).

    Examples
    --------
    >>> g = {"name": "Intervals", "m": [1, 2, 3], "growth": [2, 4, 7], "exact": True, "vc_dimension": 2}
    >>> GrowthDisplay(g).title
    'Intervals realise 7 of 8 labellings of 3 points; they shatter 2'
    """

    growth: Json

    @property
    def title(self) -> str:
        g = self.growth
        m, most = g["m"][-1], g["growth"][-1]
        verb = "realise" if g["exact"] else "realise at most"
        if most >= 2 ** g["m"][-1]:
            return f"{g['name']} realise all {_big(2**m)} labellings of {m} points"
        of = f"{g['name']} {verb} {_big(most)} of {_big(2**m)} labellings of {m} points"
        d = g["vc_dimension"]
        return of if d is None else f"{of}; they shatter {d}"

    @property
    def description(self) -> str:
        g = self.growth
        pairs = ", ".join(f"{_big(v)} of {m}" for m, v in zip(g["m"], g["growth"], strict=True))
        return f"Line chart, logarithmic: labellings of m points that {g['name']} realise ({pairs}), and 2^m."

    def draw(self, ax: Axes) -> None:
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        g, m = self.growth, self.growth["m"]
        # Integers of any size: floats would overflow at 1,024 points, their logarithms do not.
        every, ours = [k * log10(2.0) for k in m], [_log10(v) for v in g["growth"]]
        ax.plot(m, every, color=colour("baseline"), linewidth=1.6, linestyle="--")
        ax.plot(m, ours, color=colour("validation"), linewidth=1.8)
        d = g["vc_dimension"]
        if d is not None and m[0] <= d <= m[-1]:
            ax.axvline(d, color=colour("muted"), linewidth=0.9, linestyle=(0, (2, 2)))
            on_end(ax, d, every[-1], f"VC dimension {d}", "muted", va="top")
        on_end(ax, m[-1], every[-1], "all, 2ᵐ", "baseline")
        on_end(ax, m[-1], ours[-1], "the class" if g["exact"] else "at most", "validation")
        ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))
        if every[-1] > 4.0:
            ax.yaxis.set_major_locator(MaxNLocator(6, integer=True))
            ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: power(round(v)) if v else "1"))
        else:
            ax.set_yticks(every, [count(2**k) for k in m])
        ax.set_xlabel("points m")
        ax.set_ylabel("labellings")


def _log10(n: int) -> float:
    return log10(n) if n else 0.0


def _big(n: int) -> str:
    return count(n) if n < 10**7 else f"about {power(round(_log10(n)))}"
