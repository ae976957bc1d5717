"""The table of counts of two partitions, with matched clusters on the diagonal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import FONT, colour
from empirisk.wording import count, share, shorten, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PartitionsDisplay"]

_MANY = 9  # more clusters leave no room for numbers in the cells
SHADES = (0.1, 0.5, 1.0)  # shares of a cluster that the key shows


@dataclass(frozen=True)
class PartitionsDisplay(Display):
    """How the rows of the clusters of one partition spread over those of another.

    Parameters
    ----------
    comparison : dict
        ``PartitionComparison.to_dict()``.

    Examples
    --------
    >>> PartitionsDisplay({"table": [[19, 1], [0, 20]], "a_labels": ["0", "1"], "b_labels": ["x", "y"],
    ...     "matching": {"x": "0", "y": "1"}, "matched": {"value": 0.975, "low": 0.93, "high": 1.0}, "n": 40,
    ...     "estimates": {"adjusted_rand": {"value": 0.9, "low": 0.72, "high": 1.0}}}).title
    'Matched clusters hold 98 % of the rows; the adjusted Rand index is 0.90'
    """

    comparison: Json

    @property
    def title(self) -> str:
        c = self.comparison
        return (
            f"Matched clusters hold {share(c['matched']['value'])} of the rows; the adjusted Rand index is "
            f"{text(c['estimates']['adjusted_rand'])}"
        )

    @property
    def description(self) -> str:
        c = self.comparison
        pairs = ", ".join(f"{b} is {a}" for b, a in c["matching"].items())
        return (
            f"Table of counts of {len(c['a_labels'])} by {len(c['b_labels'])} clusters; a cell is the darker "
            f"the more of its row it holds. Matched: {pairs}."
        )

    @property
    def height(self) -> float:
        return min(6.1, 2.7 + 0.45 * len(self.comparison["a_labels"]))

    def _columns(self) -> list[int]:
        """Return the clusters of b in the order of their partners, those without one last."""
        c = self.comparison
        order = {a: i for i, a in enumerate(c["a_labels"])}
        last = len(order)
        return sorted(
            range(len(c["b_labels"])), key=lambda j: (order.get(c["matching"].get(c["b_labels"][j]), last), j)
        )

    def draw(self, ax: Axes) -> None:
        c, columns = self.comparison, self._columns()
        small = max(len(c["a_labels"]), len(columns)) <= _MANY
        for i, (name, row) in enumerate(zip(c["a_labels"], c["table"], strict=True)):
            total = max(1, sum(row))
            for at, j in enumerate(columns):
                if not row[j]:
                    continue
                partner = c["matching"].get(c["b_labels"][j]) == name
                x = [at - 0.47, at + 0.47, at + 0.47, at - 0.47]
                y = [i - 0.47, i - 0.47, i + 0.47, i + 0.47]
                ax.fill(x, y, color=_hue(partner), alpha=_shade(row[j] / total), linewidth=0)
                if small:
                    ax.text(at, i, count(row[j]), ha="center", va="center", fontsize=FONT - 1)
        names = [shorten(c["b_labels"][j], 10) for j in columns]
        step = 1 + len(names) // 20
        ax.set_xticks(range(0, len(names), step), names[::step], rotation=0 if len(names) < 6 else 90)
        step = 1 + len(c["a_labels"]) // 20
        ax.set_yticks(range(0, len(c["a_labels"]), step), [shorten(a, 10) for a in c["a_labels"]][::step])
        ax.set_xlim(-0.55, len(names) - 0.45)
        ax.set_ylim(len(c["a_labels"]) - 0.45, -0.55)
        ax.set_xlabel("cluster of the second partition")
        ax.set_ylabel("cluster of the first")
        for spine in ax.spines.values():
            spine.set_visible(False)
        ax.tick_params(length=0)
        self._key(ax, 0 if len(names) < 6 else max(map(len, names)))

    def _key(self, ax: Axes, turned: int) -> None:
        """Write below the axes what the two colours are, and which share of a cluster makes them how dark.

        `turned` is the number of letters of names that stand upright below the axes, 0 where none does.
        """
        under = -46 - 0.62 * FONT * max(0, turned - 1)
        for partner, said, at in ((True, "matched", 0.0), (False, "not matched", 0.5)):
            for i, part in enumerate((*SHADES, None)):
                ax.annotate(
                    said if part is None else "\u25a0",
                    (at, 0.0),
                    xycoords="axes fraction",
                    xytext=(11 * i + (3 if part is None else 0), under),
                    textcoords="offset points",
                    color=_hue(partner) if part is not None else colour("muted"),
                    alpha=1.0 if part is None else _shade(part),
                    fontsize=FONT - 1,
                    va="top",
                    annotation_clip=False,
                )
        shares = ", ".join(share(part) for part in SHADES)
        ax.annotate(
            f"darker: a larger share of the row ({shares})",
            (0.0, 0.0),
            xycoords="axes fraction",
            xytext=(0, under - 16),
            textcoords="offset points",
            color=colour("muted"),
            fontsize=FONT - 1,
            va="top",
            annotation_clip=False,
        )


def _hue(partner: bool) -> str:
    return colour("test" if partner else "train")


def _shade(part: float) -> float:
    """Return how opaque a cell is that holds this share of its row."""
    return 0.08 + 0.5 * part
