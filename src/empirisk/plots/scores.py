"""Distribution of the predicted probability, by observed class."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import colour
from empirisk.wording import count, plain, share, shorten

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

    Examples
    --------
    >>> scores = {"edges": [0, 0.5, 1], "positive": [2, 8], "negative": [9, 1], "threshold": 0.5}
    >>> ScoresDisplay(scores, "yes", "no").title
    'A threshold of 0.5 accepts 80 % of the yes rows and 10 % of the no rows'
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
        yes, no = shorten(self.positive), shorten(self.negative)
        return f"A threshold of {at} accepts {found} of the {yes} rows and {wrong} of the {no} rows"

    @property
    def description(self) -> str:
        (hit, pos), (false, neg) = self._above("positive"), self._above("negative")
        head = f"Two histograms of the predicted probability of {self.positive}"
        yes = f"{count(round(hit))} of {count(round(pos))} {self.positive} rows"
        no = f"{count(round(false))} of {count(round(neg))} {self.negative} rows"
        return f"{head}. At or above the threshold lie {yes} and {no}."

    def draw(self, ax: Axes) -> None:
        edges = self.scores["edges"]
        for key, name, sign in (("positive", self.positive, 1), ("negative", self.negative, -1)):
            widths = [b - a for a, b in pairwise(edges)]
            density = [n / w for n, w in zip(self.scores[key], widths, strict=True)]
            peak = max(density) or 1.0
            ax.stairs([sign * d / peak for d in density], edges, fill=True, color=colour(key), alpha=0.55)
            middle, said = 0.5 * (edges[0] + edges[-1]), f"observed {shorten(name, 30)}"
            # The dashed line of the threshold ends at the words.
            paper = {"facecolor": colour("paper"), "edgecolor": "none", "pad": 1.5}
            ax.text(middle, sign * 1.15, said, ha="center", va="center", color=colour(key), bbox=paper)
        ax.axhline(0, color=colour("muted"), linewidth=0.8)
        ax.axvline(self.scores["threshold"], color=colour("ink"), linewidth=0.9, linestyle=(0, (4, 3)))
        ax.set_ylim(-1.3, 1.3)
        ax.set_xlim(edges[0], edges[-1])
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(f"predicted probability of {shorten(self.positive, 18)} (dashed: threshold)")
        ax.set_ylabel("rows, each class scaled to its peak")
