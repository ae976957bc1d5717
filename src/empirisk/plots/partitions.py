"""The table of counts of two partitions, with matched clusters on the diagonal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import FONT, Display, Json, colour
from empirisk.wording import count, share, shorten, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PartitionsDisplay"]

_MANY = 9  # more clusters leave no room for numbers in the cells


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
        return f"Table of counts of {len(c['a_labels'])} by {len(c['b_labels'])} clusters. Matched: {pairs}."

    @property
    def height(self) -> float:
        return min(5.6, 2.2 + 0.45 * len(self.comparison["a_labels"]))

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
                hue = colour("test" if partner else "train")
                ax.fill(x, y, color=hue, alpha=0.08 + 0.5 * row[j] / total, linewidth=0)
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
