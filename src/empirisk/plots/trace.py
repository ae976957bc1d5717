"""The chains of one parameter in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import colour
from empirisk.wording import beyond, counted, number, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CHAIN_ROLES", "TraceDisplay", "agreement"]

# Colours of the chains, in turn.
CHAIN_ROLES = ("validation", "train", "test", "positive", "reference", "negative")
# R-hat above which chains are not taken to agree (Vehtari et al., Bayesian Analysis 16, 2021, section 4).
_AGREE = 1.01
# Effective draws below which R-hat is itself too uncertain (as there, 100 for each of four chains).
_FEW = 400.0


def agreement(told: Json, chains: int) -> str:
    """Return a sentence: whether the chains of a parameter agree, by R-hat."""
    name, r_hat, ess = shorten(told["name"], 24), told["r_hat"], told["ess"]
    one = chains == 1
    of = f"The halves of the one chain of {name}" if one else f"The {chains} chains of {name}"
    if not r_hat <= _AGREE:
        return f"{of} do not agree: R-hat is {beyond(r_hat, _AGREE)}, and {_AGREE} is the limit"
    if not ess >= _FEW:
        worth = number(ess, 2)
        return (
            f"{shorten(told['name'], 24)}: {worth} effective draws are too few to tell whether chains agree"
        )
    if one:
        return f"{of} agree (R-hat {r_hat:.3f}), and there is no other chain"
    return f"{of} agree: R-hat is {r_hat:.3f}"


@dataclass(frozen=True)
class TraceDisplay(Display):
    """Values of the draws in their order, one line a chain.

    Parameters
    ----------
    trace : dict
        ``name``, ``r_hat``, ``ess``, ``every`` (one of so many draws is shown) and ``chains`` (values of
        each).

    Examples
    --------
    >>> chains = [[0.1, -0.4, 0.3], [0.2, 0.0, -0.1]]
    >>> TraceDisplay({"name": "x0", "r_hat": 1.002, "ess": 500.0, "every": 1, "chains": chains}).title
    'The 2 chains of x0 agree: R-hat is 1.002'
    """

    trace: Json

    @property
    def title(self) -> str:
        return agreement(self.trace, len(self.trace["chains"]))

    @property
    def description(self) -> str:
        t = self.trace
        values = [v for chain in t["chains"] for v in chain]
        shown = "" if t["every"] == 1 else f" One of {t['every']} draws is shown."
        return (
            f"Lines of the draws of {shorten(t['name'], 40)} in their order, one for each of "
            f"{counted(len(t['chains']), 'chain')}, from {number(min(values))} to {number(max(values))}."
            f"{shown} They are worth {number(t['ess'], 2)} independent draws."
        )

    def draw(self, ax: Axes) -> None:
        t = self.trace
        for c, chain in enumerate(t["chains"]):
            places = [1 + t["every"] * i for i in range(len(chain))]
            role = CHAIN_ROLES[c % len(CHAIN_ROLES)]
            ax.plot(places, chain, color=colour(role), linewidth=0.6, alpha=0.8)
        ax.set_xlabel("draw")
        ax.set_ylabel(shorten(t["name"], 30))
