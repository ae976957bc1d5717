"""How often intervals hold what they promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, IntervalRow, Json, interval_rows, reference_line
from empirisk.wording import brief, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CoverageDisplay"]


@dataclass(frozen=True)
class CoverageDisplay(Display):
    """Simulated coverage of several intervals beside the nominal one.

    Parameters
    ----------
    rows : list of dict
        ``label`` and ``coverage`` (an estimate, as a share).
    nominal : float
        What they promise.

    Examples
    --------
    >>> rows = [{"label": "Wald", "coverage": {"value": 0.8, "low": 0.78, "high": 0.82}}]
    >>> CoverageDisplay(rows, 0.95).title
    '1 of 1 intervals covers less often than the 95 % that it promises'
    """

    rows: list[Json]
    nominal: float

    @property
    def title(self) -> str:
        told = [r["coverage"] for r in self.rows if r["coverage"]["high"] is not None]
        short = sum(e["high"] < self.nominal for e in told)
        promise = f"{plain(100 * self.nominal)} %"
        if not short:
            return f"None of {len(self.rows)} intervals was shown to cover less often than {promise}"
        verb, they = ("covers", "it promises") if short == 1 else ("cover", "they promise")
        return f"{short} of {len(self.rows)} intervals {verb} less often than the {promise} that {they}"

    @property
    def description(self) -> str:
        said = [f"{r['label']} {brief(r['coverage'])}" for r in self.rows]
        return "Dots with intervals of the simulated coverage. " + "; ".join(said) + "."

    @property
    def height(self) -> float:
        return 0.8 + 0.44 * max(1, len(self.rows))

    def draw(self, ax: Axes) -> None:
        rows = [IntervalRow(r["label"], r["coverage"], "validation") for r in self.rows]
        interval_rows(ax, rows, [brief(r["coverage"]) for r in self.rows], "share of samples covered")
        reference_line(ax, self.nominal, len(rows))
