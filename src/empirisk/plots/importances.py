"""Permutation importances with intervals, the largest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, IntervalRow, Json, interval_rows, reference_line
from empirisk.wording import brief, counted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ImportancesDisplay"]


@dataclass(frozen=True)
class ImportancesDisplay(Display):
    """How much worse the model gets when a column is shuffled.

    Parameters
    ----------
    importances : list of dict
        ``report["model"]["importances"]``.
    label : str
        What rises, with its unit.
    most : int, default 15
        How many to show.

    Examples
    --------
    >>> rows = [{"column": "age", "value": {"value": 0.2, "low": 0.1, "high": 0.3}}]
    >>> ImportancesDisplay(rows, "rise of the loss").title
    'The model leans most on age; the interval lies above zero for 1 of 1 column, each by itself'
    """

    importances: list[Json]
    label: str
    most: int = 15

    def _shown(self) -> list[Json]:
        known = [i for i in self.importances if i["value"]["value"] is not None]
        return sorted(known, key=lambda i: -i["value"]["value"])[: self.most]

    @property
    def title(self) -> str:
        clear = [i for i in self.importances if i["value"]["low"] is not None and i["value"]["low"] > 0]
        total = len(self.importances)
        if not clear:
            return f"No column is clearly used: all {total} intervals reach zero"
        first = max(clear, key=lambda i: i["value"]["value"])
        rest = f"the interval lies above zero for {len(clear)} of {counted(total, 'column')}, each by itself"
        return f"The model leans most on {shorten(first['column'])}; {rest}"

    @property
    def description(self) -> str:
        said = [f"{i['column']} {brief(i['value'])}" for i in self._shown()]
        return f"Dots with intervals: {self.label} when a column is shuffled. " + "; ".join(said) + "."

    @property
    def height(self) -> float:
        return 0.8 + 0.4 * max(1, len(self._shown()))

    def draw(self, ax: Axes) -> None:
        shown = self._shown()
        rows = [IntervalRow(i["column"], i["value"], "test") for i in shown]
        interval_rows(ax, rows, [brief(i["value"]) for i in shown], shorten(self.label, 50))
        reference_line(ax, 0.0, len(rows))
