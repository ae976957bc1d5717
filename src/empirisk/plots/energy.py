"""The energies of Hamiltonian chains beside their changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import colour
from empirisk.wording import counted, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EnergyDisplay"]

# A fraction of missing information below which energies move too slowly (Stan and ArviZ warn there).
_SLOW = 0.3


@dataclass(frozen=True)
class EnergyDisplay(Display):
    """Densities of the energies about their mean, and of their changes from draw to draw.

    Betancourt, Diagnosing suboptimal cotangent disintegrations in Hamiltonian Monte Carlo, 2016: where the
    changes are much narrower than the energies, chains take long from the middle to the tails.

    Parameters
    ----------
    energy : dict
        ``edges``, ``energies`` and ``changes`` (densities by bin), and ``bfmi`` (by chain).

    Examples
    --------
    >>> told = {"edges": [-1.0, 0.0, 1.0], "energies": [0.5, 0.5], "changes": [0.4, 0.6]}
    >>> EnergyDisplay({**told, "bfmi": [0.9, 1.1]}).title
    'Energies change freely between draws: the smallest E-BFMI is 0.90'
    """

    energy: Json

    @property
    def title(self) -> str:
        worst = min(self.energy["bfmi"])
        if worst < _SLOW:
            return f"Energies change slowly: the smallest E-BFMI is {worst:.2f}, and {_SLOW} is the limit"
        return f"Energies change freely between draws: the smallest E-BFMI is {worst:.2f}"

    @property
    def description(self) -> str:
        e = self.energy
        told = ", ".join(f"{v:.2f}" for v in e["bfmi"])
        return (
            "Stairs of the densities of the energies about their mean and of their changes between draws, "
            f"from {number(e['edges'][0])} to {number(e['edges'][-1])}. The fractions of missing "
            f"information of {counted(len(e['bfmi']), 'chain')} are {told}."
        )

    def draw(self, ax: Axes) -> None:
        e = self.energy
        top = 1.3 * max(*e["energies"], *e["changes"])
        for key, role, x, ha in (
            ("energies", "train", 0.02, "left"),
            ("changes", "validation", 0.98, "right"),
        ):
            ax.stairs(e[key], e["edges"], color=colour(role), linewidth=1.6)
            said = "energies about their mean" if key == "energies" else "changes between draws"
            ax.text(x, 0.98, said, ha=ha, va="top", color=colour(role), transform=ax.transAxes)
        ax.set_ylim(0.0, top)
        ax.set_xlabel("energy H (nats)")
        ax.set_ylabel("density")
