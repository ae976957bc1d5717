"""The margins of a boosted vote on its training rows."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json, on_end
from empirisk.plots.style import colour
from empirisk.wording import count, plain, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MarginsDisplay"]


@dataclass(frozen=True)
class MarginsDisplay(Display):
    """Which share of the rows has a margin below each value; margins of 0 and less are errors.

    Parameters
    ----------
    vote : dict
        ``AdaBoostClassifier.to_dict()``: ``margins`` (sorted, thinned), ``n_rows``, ``margin_bound`` (no
        vote has a larger smallest margin; None when unknown) and ``rounds``.

    Examples
    --------
    >>> vote = {"margins": [-0.2, 0.1, 0.3, 0.4], "n_rows": 4, "margin_bound": 0.2, "rounds": 10}
    >>> MarginsDisplay(vote).title
    '25 % of the 4 training rows have no positive margin; half exceed 0.1'
    """

    vote: Json

    @property
    def title(self) -> str:
        m = self.vote["margins"]
        wrong = _at(m, 0.0)
        half = plain(m[(len(m) - 1) // 2], 2)
        rows = count(self.vote["n_rows"])
        if wrong == 0.0:
            return f"All {rows} training rows have a margin of {plain(m[0], 2)} or more; half exceed {half}"
        return f"{share(wrong)} of the {rows} training rows have no positive margin; half exceed {half}"

    @property
    def description(self) -> str:
        m, bound = self.vote["margins"], self.vote["margin_bound"]
        ends = f"from {plain(m[0], 2)} to {plain(m[-1], 2)}"
        limit = "" if bound is None else f"; no vote has a smallest margin above {plain(bound, 2)}"
        return (
            f"Rising curve: margins of the training rows after {self.vote['rounds']} rounds go {ends}{limit}."
        )

    def draw(self, ax: Axes) -> None:
        m, bound = self.vote["margins"], self.vote["margin_bound"]
        shares = [(i + 1) / len(m) for i in range(len(m))]
        ax.step([m[0], *m], [0.0, *shares], where="post", color=colour("train"), linewidth=1.8)
        ax.axvline(0.0, color=colour("baseline"), linewidth=1.1, linestyle=(0, (3, 2)))
        if bound is not None and m[0] <= bound <= m[-1]:
            ax.axvline(bound, color=colour("muted"), linewidth=0.9, linestyle=(0, (2, 2)))
            on_end(ax, bound, 0.02, "largest possible\nsmallest margin", "muted", va="bottom")
        ax.set_ylim(0.0, 1.02)
        ax.set_xlabel("margin of a training row")
        ax.set_ylabel("share of rows with less")


def _at(margins: list[float], value: float) -> float:
    """Return the share of margins below `value`; at 0 those of exactly 0 count, too (hence the 1e-300)."""
    return bisect_left(margins, value + 1e-300) / len(margins)
