"""Distribution of the predicted probability, by observed class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, colour
from empirisk.plots.wording import count, plain, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ScoresDisplay"]


@dataclass(frozen=True)
class ScoresDisplay(Display):
    """Two histograms, positive class upwards and negative class downwards.

    Parameters
    ----------
    scores : dict
        ``report["test"]["scores"]``.
    positive, negative : str
        The two classes.
    """

    scores: Json
    positive: str
    negative: str

    def _above(self, key: str) -> tuple[int, int]:
        counts, edges = self.scores[key], self.scores["edges"]
        return sum(n for n, e in zip(counts, edges, strict=False) if e >= self.scores["threshold"]), sum(
            counts
        )

    @property
    def title(self) -> str:
        (hit, pos), (false, neg) = self._above("positive"), self._above("negative")
        found = share(hit / pos) if pos else "none"
        wrong = share(false / neg) if neg else "none"
        at = plain(self.scores["threshold"], 3)
        return f"A threshold of {at} finds {found} of the {self.positive} rows and {wrong} of the {self.negative} rows"

    @property
    def description(self) -> str:
        (hit, pos), (false, neg) = self._above("positive"), self._above("negative")
        return (
            f"Two histograms of the predicted probability of {self.positive}. At or above the threshold lie {count(hit)} of "
            f"{count(pos)} {self.positive} rows and {count(false)} of {count(neg)} {self.negative} rows."
        )

    def draw(self, ax: Axes) -> None:
        edges = self.scores["edges"]
        for key, name, sign in (("positive", self.positive, 1), ("negative", self.negative, -1)):
            total = sum(self.scores[key]) or 1
            heights = [
                sign * n / total / (b - a)
                for n, a, b in zip(self.scores[key], edges, edges[1:], strict=False)
            ]
            ax.stairs(heights, edges, fill=True, color=colour(key), alpha=0.55)
            place = {"transform": ax.transAxes, "ha": "right", "color": colour(key)}
            ax.text(
                0.99,
                0.97 if sign > 0 else 0.03,
                f"observed {name}",
                va="top" if sign > 0 else "bottom",
                **place,
            )
        ax.axhline(0, color=colour("muted"), linewidth=0.8)
        ax.axvline(self.scores["threshold"], color=colour("ink"), linewidth=0.9, linestyle=(0, (4, 3)))
        ax.set_xlim(edges[0], edges[-1])
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(f"predicted probability of {self.positive} (dashed: threshold)")
        ax.set_ylabel("density within the class")
