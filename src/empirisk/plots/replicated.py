"""A statistic of the data among those of data that a model makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, on_end
from empirisk.plots.style import colour
from empirisk.wording import count, number, share, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ReplicatedDisplay"]


@dataclass(frozen=True)
class ReplicatedDisplay(Display):
    """A histogram of a statistic of replicated data, with a line at that of the data.

    Parameters
    ----------
    replicated : dict
        ``name``, ``edges``, ``counts`` (by bin), ``observed``, and ``above`` and ``below``: shares of the
        replications at or beyond it.

    Examples
    --------
    >>> told = {"name": "max", "edges": [3.0, 4.0, 6.0], "counts": [30, 10], "observed": 5.0}
    >>> ReplicatedDisplay({**told, "above": 0.1, "below": 0.92}).title
    'max is 5 in the data, and as large or larger in 10 % of the replications'
    """

    replicated: Json

    @property
    def title(self) -> str:
        r = self.replicated
        low = r["below"] < r["above"]
        beyond = "as small or smaller" if low else "as large or larger"
        chance = share(min(r["above"], r["below"]))
        return (
            f"{shorten(r['name'], 24)} is {number(r['observed'])} in the data, and {beyond} in {chance} of "
            "the replications"
        )

    @property
    def description(self) -> str:
        r = self.replicated
        return (
            f"Histogram of {shorten(r['name'], 40)} in {count(sum(r['counts']))} replications of the data, "
            f"from {number(r['edges'][0])} to {number(r['edges'][-1])}; the dashed line is that of the data, "
            f"{number(r['observed'])}."
        )

    def draw(self, ax: Axes) -> None:
        r = self.replicated
        top = 1.25 * max(r["counts"])
        ax.stairs(r["counts"], r["edges"], color=colour("validation"), linewidth=1.6)
        ax.axvline(r["observed"], color=colour("test"), linewidth=1.4, linestyle=(0, (4, 3)))
        left = r["observed"] < 0.5 * (r["edges"][0] + r["edges"][-1])
        on_end(
            ax, r["observed"], 0.94 * top, "the data", "test",
            xytext=(5 if left else -5, 0), ha="left" if left else "right",
        )  # fmt: skip
        ax.set_ylim(0.0, top)
        ax.set_xlabel(f"{shorten(r['name'], 30)} of replicated data")
        ax.set_ylabel("replications")
