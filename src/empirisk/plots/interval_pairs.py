"""Credible and confidence intervals of the same coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, IntervalRow, Json, interval_rows, reference_line
from empirisk.wording import brief, counted, share, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["IntervalPairsDisplay"]


@dataclass(frozen=True)
class IntervalPairsDisplay(Display):
    """Two dots with intervals for each coefficient: of its posterior, and of its estimate.

    Parameters
    ----------
    pairs : list of dict
        ``name``, and ``credible`` and ``confidence``: ``value``, ``low`` and ``high``.
    level : float
        Of all intervals.
    most : int, default 8
        How many coefficients to show.

    Examples
    --------
    >>> ends = {"value": 0.3, "low": 0.1, "high": 0.5}
    >>> IntervalPairsDisplay([{"name": "age", "credible": ends, "confidence": ends}], 0.95).title
    'Credible intervals of 95 % beside confidence intervals: 1 coefficient'
    """

    pairs: list[Json]
    level: float
    most: int = 8

    @property
    def title(self) -> str:
        shown = min(self.most, len(self.pairs))
        some = f" of {len(self.pairs)}" if shown < len(self.pairs) else ""
        return (
            f"Credible intervals of {share(self.level)} beside confidence intervals: "
            f"{counted(shown, 'coefficient')}{some}"
        )

    @property
    def description(self) -> str:
        said = [
            f"{p['name']} {brief(p['credible'], sign=True)} and {brief(p['confidence'], sign=True)}"
            for p in self.pairs[: self.most]
        ]
        return "Dots with a credible and a confidence interval of each coefficient. " + "; ".join(said) + "."

    @property
    def height(self) -> float:
        return 0.8 + 0.88 * min(self.most, len(self.pairs))

    def draw(self, ax: Axes) -> None:
        rows: list[IntervalRow] = []
        for p in self.pairs[: self.most]:
            name = shorten(p["name"], 22)
            rows.append(IntervalRow(f"{name}, credible", p["credible"], "validation"))
            rows.append(IntervalRow(f"{name}, confidence", p["confidence"], "train"))
        interval_rows(ax, rows, [brief(row.estimate, sign=True) for row in rows], "coefficient")
        reference_line(ax, 0.0, len(rows))
