"""The density of the draws of one parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import colour
from empirisk.wording import count, number, share, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DensityDisplay"]


@dataclass(frozen=True)
class DensityDisplay(Display):
    """A histogram of all draws, with their mean and the interval between two quantiles.

    Parameters
    ----------
    density : dict
        ``name``, ``edges``, ``density`` (by bin), ``mean``, ``low``, ``high``, ``level``, ``n`` and ``doubt``
        (a sentence why no error of the draws can be believed; else "").

    Examples
    --------
    >>> told = {"name": "x0", "edges": [0.0, 1.0, 2.0], "density": [0.7, 0.3], "mean": 0.8, "n": 40}
    >>> DensityDisplay({**told, "low": 0.1, "high": 1.8, "level": 0.9, "doubt": ""}).title
    'x0 lies between 0.1 and 1.8 with a probability of 90 %'
    """

    density: Json

    @property
    def title(self) -> str:
        d = self.density
        ends = f"{number(d['low'])} and {number(d['high'])}"
        if d["doubt"]:
            of = f"{share(d['level'])} of the draws of {shorten(d['name'], 24)}"
            return f"{of} lie between {ends}, but no error of theirs can be believed"
        return f"{shorten(d['name'], 24)} lies between {ends} with a probability of {share(d['level'])}"

    @property
    def description(self) -> str:
        d = self.density
        return (
            f"Histogram of {count(d['n'])} draws of {shorten(d['name'], 40)} from {number(d['edges'][0])} to "
            f"{number(d['edges'][-1])}; the dashed line is the mean, {number(d['mean'])}, and the bar below "
            f"holds {share(d['level'])} of the draws. {d['doubt']}".rstrip()
        )

    def draw(self, ax: Axes) -> None:
        d = self.density
        top = max(d["density"])
        ax.stairs(d["density"], d["edges"], color=colour("validation"), linewidth=1.6)
        ax.axvline(d["mean"], color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        ax.plot([d["low"], d["high"]], [-0.04 * top, -0.04 * top], color=colour("validation"), linewidth=4)
        ax.set_ylim(-0.08 * top, 1.05 * top)
        ax.set_xlabel(shorten(d["name"], 30))
        ax.set_ylabel("density")
