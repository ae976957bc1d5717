"""How sure it is which candidate is best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import FONT, colour
from empirisk.wording import share, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BestProbabilityDisplay"]

_CLEAR = 0.95  # probability from which the winner is called clear


@dataclass(frozen=True)
class BestProbabilityDisplay(Display):
    """Probability of being the best candidate, largest first.

    Parameters
    ----------
    rows : list of dict
        ``label`` and ``probability`` (between 0 and 1).
    most : int, default 12
        How many to show.

    Examples
    --------
    >>> rows = [{"label": "Ridge", "probability": 0.7}, {"label": "Lasso", "probability": 0.3}]
    >>> BestProbabilityDisplay(rows).title
    'Which is best cannot be told: Ridge has a probability of 70 %'
    """

    rows: list[Json]
    most: int = 12

    def _shown(self) -> list[Json]:
        return sorted(self.rows, key=lambda r: -r["probability"])[: self.most]

    @property
    def title(self) -> str:
        best = self._shown()[0]
        if not best["probability"] >= 0.0:
            return "Which is best cannot be told, nor its probability"
        name, chance = shorten(best["label"]), share(best["probability"])
        if best["probability"] >= _CLEAR:
            return f"{name} is best with a probability of {chance}"
        return f"Which is best cannot be told: {name} has a probability of {chance}"

    @property
    def description(self) -> str:
        said = [f"{r['label']} {share(r['probability'])}" for r in self._shown()]
        return "Bars of the probability of being best. " + "; ".join(said) + "."

    @property
    def height(self) -> float:
        return 0.8 + 0.46 * len(self._shown())

    def draw(self, ax: Axes) -> None:
        shown = self._shown()
        place: Json = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": FONT - 0.5}
        for i, row in enumerate(shown):
            ax.barh(i, row["probability"], height=0.28, color=colour("validation"))
            ax.text(0.0, i - 0.4, shorten(row["label"], 44), color=colour("ink"), **place)
            ax.text(1.0, i - 0.4, share(row["probability"]), color=colour("muted"), ha="right", **place)
        ax.set_xlim(0.0, 1.0)
        ax.set_ylim(len(shown) - 0.6, -0.8)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set_xlabel("probability of being best")
