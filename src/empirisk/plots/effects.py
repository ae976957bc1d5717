"""Effects with their intervals, one a row: coefficients, ratios, average predictions, contrasts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from empirisk.plots.display import Display, IntervalRow, Json, interval_rows, reference_line
from empirisk.wording import brief, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["EffectsDisplay"]


@dataclass(frozen=True)
class EffectsDisplay(Display):
    """Dots with intervals in the order of a table, and a line where there is no effect.

    Parameters
    ----------
    rows : list of dict
        ``label`` and ``value``, which holds the number and its interval.
    quantity : str
        What the numbers are: the label of the axis.
    level : float
        Coverage of each interval.
    no_effect : float or None
        Where the dashed line stands: 0 for differences, 1 for ratios, None where there is none.
    ratio : bool
        Whether the axis is logarithmic, so that half and twice lie at equal distances from 1.
    most : int, default 25
        How many rows are drawn; more are left out, and the title says so.

    Examples
    --------
    >>> row = {"label": "age", "value": {"value": 1.2, "low": 1.1, "high": 1.3}}
    >>> EffectsDisplay([row], "odds ratio", 0.95, 1.0, True).title
    'The interval of 1 odds ratio leaves 1 out (95 %)'
    """

    rows: list[Json]
    quantity: str
    level: float = 0.95
    no_effect: float | None = 0.0
    ratio: bool = False
    most: int = 25

    def _shown(self) -> list[Json]:
        return [row for row in self.rows if _drawable(row["value"], self.ratio)][: self.most]

    @property
    def title(self) -> str:
        shown = self._shown()
        if not shown:
            return f"There is no {self.quantity} to draw"
        left = f"; {len(shown)} of {len(self.rows)} rows are drawn" if len(shown) < len(self.rows) else ""
        known = [r["value"] for r in shown if r["value"]["low"] is not None]
        if not known:
            return f"{self.quantity[:1].upper()}{self.quantity[1:]}, without intervals{left}"
        if self.no_effect is None:
            count = f"interval{'s' if len(known) > 1 else ''}"
            return f"{self.quantity[:1].upper()}{self.quantity[1:]} with {self.level:.4g} {count}{left}"
        at = self.no_effect
        clear = sum(not e["low"] <= at <= e["high"] for e in known)
        many = f"{len(known)} intervals" if len(known) > 1 else "The interval"
        if len(known) == 1:
            does = "leaves" if clear else "holds"
            what = f"The interval of 1 {self.quantity} {does} {at:g}{' out' if clear else ''}"
        else:
            what = f"{clear} of {many} leave {at:g} out"
        return f"{what} ({100.0 * self.level:g} %){left}"

    @property
    def description(self) -> str:
        said = [f"{row['label']} {brief(row['value'])}" for row in self._shown()]
        scale = " on a logarithmic axis" if self.ratio else ""
        return f"Dots with intervals{scale}: {self.quantity}. {'; '.join(said)}."

    @property
    def height(self) -> float:
        return 1.0 + 0.44 * max(1, len(self._shown()))

    def draw(self, ax: Axes) -> None:
        shown = self._shown()
        rows = [IntervalRow(row["label"], row["value"], "validation") for row in shown]
        if self.ratio:
            ends = [e[k] for e in (r.estimate for r in rows) for k in ("value", "low", "high")]
            known = [v for v in ends if v is not None]
            _logarithmic(ax, min(known, default=1.0), max(known, default=1.0))
        interval_rows(ax, rows, [brief(row["value"]) for row in shown], self.quantity)
        if self.no_effect is not None and shown:
            reference_line(ax, self.no_effect, len(rows))


def _drawable(e: Json, ratio: bool) -> bool:
    """Return whether a number and its ends have places on the axis."""
    ends = [e["value"], *(x for x in (e["low"], e["high"]) if x is not None)]
    return all(x is not None and math.isfinite(x) and (x > 0.0 or not ratio) for x in ends)


def _logarithmic(ax: Axes, low: float, high: float) -> None:
    """Set a logarithmic axis whose ticks are plain numbers: at 1, 2 and 5, or closer where few fit."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    ax.set_xscale("log")
    wide = high > 8.0 * low  # three of 1, 2, 5, 10 or their like lie within
    ax.xaxis.set_major_locator(
        LogLocator(subs=(1.0, 2.0, 5.0), numticks=7) if wide else MaxNLocator(6, steps=[1, 2, 2.5, 5, 10])
    )
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: plain(v)))
    ax.xaxis.set_minor_formatter(NullFormatter())
