"""Whether each chain has its share of small and large draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import colour
from empirisk.plots.trace import CHAIN_ROLES, agreement
from empirisk.wording import counted, share, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RanksDisplay"]


@dataclass(frozen=True)
class RanksDisplay(Display):
    """How many draws of each chain have ranks in each of equal parts of all ranks.

    As in Vehtari, Gelman, Simpson, Carpenter and Bürkner (Bayesian Analysis 16, 2021): where chains agree,
    the stairs are flat but for noise, which is larger than that of independent draws.

    Parameters
    ----------
    ranks : dict
        ``name``, ``r_hat``, ``ess`` and ``counts`` (of each chain, by part).

    Examples
    --------
    >>> RanksDisplay({"name": "x0", "r_hat": 1.2, "ess": 9.0, "counts": [[9, 1], [1, 9]]}).title
    'The 2 chains of x0 do not agree: R-hat is 1.200, and 1.01 is the limit'
    """

    ranks: Json

    @property
    def title(self) -> str:
        return agreement(self.ranks, len(self.ranks["counts"]))

    @property
    def _expected(self) -> float:
        """Draws of a chain in each part where all chains have one law."""
        counts = self.ranks["counts"][0]
        return float(sum(counts) / len(counts))

    @property
    def description(self) -> str:
        counts, wanted = self.ranks["counts"], self._expected
        if len(counts) == 1:
            return (
                f"Stairs of the ranks of the draws of {shorten(self.ranks['name'], 40)} in {len(counts[0])} "
                "equal parts: of one chain they are flat, whatever it has met."
            )
        c, off = max(
            ((c, max(abs(v / wanted - 1.0) for v in row)) for c, row in enumerate(counts)), key=lambda p: p[1]
        )
        return (
            f"Stairs of the numbers of draws of {shorten(self.ranks['name'], 40)} in {len(counts[0])} equal "
            f"parts of the ranks of all draws, one for each of {counted(len(counts), 'chain')}; the dashed "
            f"line is an equal share. Chain {c + 1} is farthest from it, by {share(off)}."
        )

    def draw(self, ax: Axes) -> None:
        counts = self.ranks["counts"]
        edges = [100.0 * i / len(counts[0]) for i in range(len(counts[0]) + 1)]
        for c, row in enumerate(counts):
            role = CHAIN_ROLES[c % len(CHAIN_ROLES)]
            ax.stairs(row, edges, baseline=None, color=colour(role), linewidth=1.4)
        ax.axhline(self._expected, color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        ax.set_ylim(bottom=0.0)
        ax.set_xlabel(f"rank of the draw of {shorten(self.ranks['name'], 20)} (% of all)")
        ax.set_ylabel("draws of a chain")
