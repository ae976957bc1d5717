"""What choosing the best of many candidates does to its score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, IntervalRow, Json, interval_rows, plate
from empirisk.plots.style import colour
from empirisk.wording import brief, counted, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["WinnersCurseDisplay"]


@dataclass(frozen=True)
class WinnersCurseDisplay(Display):
    """The winner's own score, the corrected one, and (when there is one) that on untouched rows.

    Parameters
    ----------
    curse : dict
        ``label`` of the score and whether its ``greater_is_better``, ``n_candidates``, ``candidates`` (mean
        scores of all), ``naive``, ``corrected`` and ``held_out`` (estimates; the last may be None).

    Examples
    --------
    >>> ends = {"value": 0.4, "low": 0.3, "high": 0.5}
    >>> curse = {"label": "rate of errors", "greater_is_better": False, "n_candidates": 20,
    ...          "candidates": [0.4, 0.5], "naive": ends,
    ...          "corrected": {"value": 0.45, "low": 0.35, "high": 0.55}, "held_out": None}
    >>> WinnersCurseDisplay(curse).title
    'The best of 20 candidates shows a rate of errors of 0.40; corrected for the choice it is 0.45'
    """

    curse: Json

    @property
    def title(self) -> str:
        c = self.curse
        return (
            f"The best of {counted(c['n_candidates'], 'candidate')} shows a {c['label']} of "
            f"{text(c['naive'])}; corrected for the choice it is {text(c['corrected'])}"
        )

    @property
    def description(self) -> str:
        said = [f"{row.label}: {brief(row.estimate)}" for row in self._rows()]
        return f"Dots with intervals of the {self.curse['label']} of the winner. " + "; ".join(said) + "."

    @property
    def height(self) -> float:
        return 0.9 + 0.52 * (len(self._rows()) + 1)

    def _rows(self) -> list[IntervalRow]:
        c = self.curse
        rows = [
            IntervalRow("as if it had not been chosen", c["naive"], "baseline"),
            IntervalRow("corrected for the choice", c["corrected"], "validation", strong=True),
        ]
        if c["held_out"] is not None:
            rows.append(IntervalRow("on rows that took no part", c["held_out"], "test", strong=True))
        return rows

    def draw(self, ax: Axes) -> None:
        rows, c = self._rows(), self.curse
        better = "higher" if c["greater_is_better"] else "lower"
        interval_rows(ax, rows, [brief(r.estimate) for r in rows], f"{c['label']}, {better} is better")
        # All candidates as ticks below the rows: the winner is their left end.
        at = [len(rows) - 0.1] * len(c["candidates"])
        ax.plot(c["candidates"], at, "|", color=colour("muted"), markersize=9, alpha=0.7)
        ax.set_ylim(len(rows) + 0.3, -0.8)
        plate(ax, len(rows) - 0.7, len(rows) - 0.24)
        ax.text(
            0.0,
            len(rows) - 0.46,
            "all candidates",
            transform=ax.get_yaxis_transform(),
            va="center",
            color=colour("ink"),
        )
