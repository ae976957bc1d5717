"""Coefficients with intervals, the largest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, IntervalRow, Json, interval_rows, reference_line
from empirisk.wording import brief, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CoefficientsDisplay"]


@dataclass(frozen=True)
class CoefficientsDisplay(Display):
    """The largest coefficients, per standard deviation of their column where that is known.

    Parameters
    ----------
    coefficients : list of dict
        ``report["model"]["coefficients"]``; the intercept is left out.
    unit : str or None
        What a coefficient changes.
    most : int, default 15
        How many to show.

    Examples
    --------
    >>> term = {"term": "age", "column": "age", "class": None, "zero": False, "per_sd": None}
    >>> CoefficientsDisplay([{**term, "value": {"value": 0.29, "low": 0.24, "high": 0.34}}], "points").title
    'The largest coefficient is that of age: +0.29 [0.24, 0.34] points per unit'
    """

    coefficients: list[Json]
    unit: str | None = None
    most: int = 15

    def _shown(self) -> tuple[list[tuple[Json, Json]], int]:
        # The intercept has neither a column nor a deviation; a group of rows has the latter.
        shown = (c for c in self.coefficients if c["column"] is not None or c["per_sd"] is not None)
        terms = [(c, c["per_sd"] or c["value"]) for c in shown]
        live = [(c, e) for c, e in terms if not c["zero"] and e["value"] is not None]
        return sorted(live, key=lambda pair: -abs(pair[1]["value"]))[: self.most], len(terms)

    def _per_sd(self) -> bool:
        return all(c["per_sd"] is not None for c, _ in self._shown()[0])

    @property
    def title(self) -> str:
        shown, total = self._shown()
        if not shown:
            return "Every coefficient is zero: the model always gives the same answer"
        first, e = shown[0]
        kind = "per standard deviation" if first["per_sd"] is not None else "per unit"
        unit = f" {self.unit}" if self.unit else ""
        some = f" ({len(shown)} of {total} terms shown)" if total > len(shown) else ""
        name, said = shorten(first["term"]), brief(e, sign=True)
        return f"The largest coefficient is that of {name}: {said}{unit} {kind}{some}"

    @property
    def description(self) -> str:
        said = [f"{c['term']} {brief(e, sign=True)}" for c, e in self._shown()[0]]
        return "Dots with intervals of the largest coefficients. " + "; ".join(said) + "."

    @property
    def height(self) -> float:
        return 0.8 + 0.4 * max(1, len(self._shown()[0]))

    def draw(self, ax: Axes) -> None:
        shown, _ = self._shown()
        rows = [
            IntervalRow(c["term"] + (f" → {c['class']}" if c["class"] else ""), e, "validation")
            for c, e in shown
        ]
        kind = "change per standard deviation" if self._per_sd() else "change per unit"
        label = f"{kind} ({shorten(self.unit, 30)})" if self.unit else kind
        interval_rows(ax, rows, [brief(e, sign=True) for _, e in shown], label)
        reference_line(ax, 0.0, len(rows))
