"""Curves of several classes, each against the rest, with the area of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, Json
from empirisk.plots.style import FONT, colour
from empirisk.wording import brief, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ClassCurvesDisplay"]

MOST = 6  # more curves cannot be told apart; those of the smallest areas are drawn
ROLES = ("test", "train", "positive")
LINES = ("-", (0, (5, 1.5)))
SAID = {"roc": "area under the ROC curve", "precision_recall": "average precision"}


@dataclass(frozen=True)
class ClassCurvesDisplay(Display):
    """One curve a class, without bands, which would hide each other; the areas have intervals.

    Parameters
    ----------
    curves : list of (str, dict)
        Names of classes and their curves, as ``report["test"]["roc"]`` and ``["pr"]``.
    kind : {"roc", "precision_recall"}
        Which curves they are.

    Examples
    --------
    >>> areas = [{"area": {"value": v, "low": v - 0.02, "high": v + 0.02}} for v in (0.9, 0.8)]
    >>> ClassCurvesDisplay(list(zip("ab", areas)), "roc").title
    'Of 2 classes against the rest, b has the smallest area under the ROC curve: 0.800 [0.780, 0.820]'
    """

    curves: list[tuple[str, Json]]
    kind: str

    def _sorted(self) -> list[tuple[str, Json]]:
        return sorted(self.curves, key=lambda each: each[1]["area"]["value"])

    @property
    def title(self) -> str:
        name, curve = self._sorted()[0]
        left = f"; {MOST} are drawn" if len(self.curves) > MOST else ""
        return (
            f"Of {len(self.curves)} classes against the rest, {shorten(name)} has the smallest "
            f"{SAID[self.kind]}: {brief(curve['area'])}{left}"
        )

    @property
    def description(self) -> str:
        said = "; ".join(f"{name} {brief(curve['area'])}" for name, curve in self.curves)
        return f"Curves of classes against the rest; {SAID[self.kind]}: {said}."

    @property
    def height(self) -> float:
        return 4.4

    def draw(self, ax: Axes) -> None:
        drawn = self._sorted()[:MOST]
        if self.kind == "roc":
            ax.plot([0, 1], [0, 1], color=colour("baseline"), linewidth=1, linestyle=(0, (4, 3)))
        roc = self.kind == "roc"
        for k, (name, curve) in enumerate(drawn):
            hue, line = colour(ROLES[k % len(ROLES)]), LINES[k // len(ROLES)]
            ax.plot(curve["x"], curve["value"], color=hue, linewidth=1.8, linestyle=line)
            # The names stand in the corner that curves with skill leave empty, the best curve on top.
            ax.text(
                0.98 if roc else 0.02,
                0.03 + 0.07 * k,
                f"{shorten(name, 20)} {brief(curve['area'])}" + (" (dashed)" if line != "-" else ""),
                ha="right" if roc else "left",
                color=hue,
                fontsize=FONT - 1.5,
            )
        ax.set_xlim(-0.01, 1.01)
        ax.set_ylim(-0.01, 1.01)
        ax.set_xlabel("false positive rate" if roc else "recall: share of the class that is found")
        ax.set_ylabel("true positive rate" if roc else "precision: share found rightly")
