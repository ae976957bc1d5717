"""The confusion matrix: observed classes in rows, predicted classes in columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import FONT, colour
from empirisk.wording import brief, count, share, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NUMBERED", "ConfusionDisplay"]

_MANY = 7  # more classes leave no room for numbers in the cells
NUMBERED = 14  # with more classes than this, their names no longer fit and numbers stand for them


@dataclass(frozen=True)
class ConfusionDisplay(Display):
    """Shares of each observed class, with counts while the classes are few.

    Parameters
    ----------
    confusion : dict
        ``report["test"]["confusion"]``.

    Examples
    --------
    >>> ConfusionDisplay({"labels": ["no", "yes"], "counts": [[90, 10], [2, 8]]}).title
    'The most frequent error: 10 of 100 no rows are taken for yes'
    """

    confusion: Json

    @property
    def title(self) -> str:
        labels, counts = self.confusion["labels"], self.confusion["counts"]
        wrong = {(i, j): n for i, row in enumerate(counts) for j, n in enumerate(row) if i != j}
        if not any(wrong.values()):
            return "No test row was put into a wrong class"
        (i, j), n = max(wrong.items(), key=lambda item: item[1])
        whole = f"{count(round(n))} of {count(round(sum(counts[i])))}"
        return (
            f"The most frequent error: {whole} {shorten(labels[i])} rows are taken for {shorten(labels[j])}"
        )

    @property
    def description(self) -> str:
        c = self.confusion
        recall = c["recall"] or []
        said = [f"{name}: {brief(e)}" for name, e in zip(c["labels"], recall, strict=False)]
        return f"Confusion matrix of {len(c['labels'])} classes. " + (
            f"Recall: {'; '.join(said)}." if said else ""
        )

    @property
    def height(self) -> float:
        return min(5.6, 2.6 + 0.5 * len(self.confusion["labels"]))

    def draw(self, ax: Axes) -> None:
        labels, counts = self.confusion["labels"], self.confusion["counts"]
        k = len(labels)
        for i, row in enumerate(counts):
            total = sum(row)
            for j, n in enumerate(row):
                if k > _MANY and n == 0:  # thousands of empty cells would take a minute to draw
                    continue
                part = n / total if total else 0.0
                hue = colour("test" if i == j else "train")
                ax.fill(
                    [j - 0.48, j + 0.48, j + 0.48, j - 0.48],
                    [i - 0.48, i - 0.48, i + 0.48, i + 0.48],
                    color=hue,
                    alpha=0.04 + 0.36 * part,
                    linewidth=0,
                )
                if k <= _MANY:
                    said = f"{count(round(n))}\n{share(part)}" if total else "0"
                    ax.text(j, i, said, ha="center", va="center", fontsize=FONT - (2.5 if k > 4 else 0))
        self._name_classes(ax)
        ax.set_xlim(-0.5, k - 0.5)
        ax.set_ylim(k - 0.5, -0.5)
        for spine in ax.spines.values():
            spine.set_visible(False)
        ax.tick_params(length=0)

    def _name_classes(self, ax: Axes) -> None:
        labels = self.confusion["labels"]
        k = len(labels)
        if k > NUMBERED:
            at = [0, *range(4, k, 5)]
            names, number = [str(i + 1) for i in at], " (its number in the table)"
        else:
            at, number = list(range(k)), ""
            names = [shorten(v, 18 if k <= 3 else 11) for v in labels]
        ax.set_xticks(at, names, rotation=90 if 3 < k <= NUMBERED else 0)
        ax.set_yticks(at, names)
        ax.set_xlabel(f"predicted class{number}")
        ax.set_ylabel("observed class (share of the row)")
