"""The criterion of mixtures against their number of components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import colour
from empirisk.wording import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MixtureCriterionDisplay"]


@dataclass(frozen=True)
class MixtureCriterionDisplay(Display):
    """How far each number of components is behind the best, with 95 % intervals of the differences.

    Parameters
    ----------
    curve : dict
        ``criterion``, ``n_components``, ``difference``, ``low``, ``high``, ``best``, ``open`` (numbers that
        the rows do not tell from the best) and ``singular`` (numbers without a fit).

    Examples
    --------
    >>> curve = {"criterion": "bic", "n_components": [1, 2], "difference": [90.0, 0.0], "low": [60.0, 0.0]}
    >>> rest = {"high": [120.0, 0.0], "best": 2, "open": [], "singular": [3]}
    >>> MixtureCriterionDisplay({**curve, **rest}).title
    'BIC takes 2 components; 1 is next, 90 behind; 3 degenerated'
    """

    curve: Json

    @property
    def title(self) -> str:
        c = self.curve
        told = f"{c['criterion'].upper()} takes {c['best']} component{'' if c['best'] == 1 else 's'}"
        others = [(d, k) for d, k in zip(c["difference"], c["n_components"], strict=True) if k != c["best"]]
        if c["open"]:
            told += f", and these rows do not rule out {', '.join(map(str, c['open']))}"
        elif others:
            behind, k = min(others)
            told += f"; {k} is next, {plain(behind, 3)} behind"
        if c["singular"]:
            told += f"; {', '.join(map(str, c['singular']))} degenerated"
        return told

    @property
    def description(self) -> str:
        c = self.curve
        each = ", ".join(
            f"{k}: {plain(d, 3)}" for k, d in zip(c["n_components"], c["difference"], strict=True)
        )
        return (
            f"{c['criterion'].upper()} of each number of components less the smallest, with 95 % intervals "
            f"that hold the fits as they are. {each}."
        )

    def draw(self, ax: Axes) -> None:
        c = self.curve
        ax.axhline(0.0, color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        ax.plot(c["n_components"], c["difference"], color=colour("validation"), linewidth=1.4)
        for k, d, low, high in zip(c["n_components"], c["difference"], c["low"], c["high"], strict=True):
            strong = k == c["best"]
            ax.plot([k, k], [low, high], color=colour("validation"), linewidth=1.6)
            ax.plot(k, d, "o", color=colour("ink" if strong else "validation"), markersize=8 if strong else 5)
        ax.set_xticks([*c["n_components"], *c["singular"]])
        ax.set_xlabel("components")
        ax.set_ylabel(f"{c['criterion'].upper()} less the smallest")
