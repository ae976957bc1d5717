"""How far ahead a score reaches: the time between the training rows and those that are scored, in words."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from empirisk.report.read.table import Table
from empirisk.wording import counted, number

__all__ = ["ahead_words", "horizon_sentence", "lasting", "later_than", "stamps_of", "within_gap"]

_DAY = 86_400e6  # microseconds
_UNITS = (
    (365.25, "year"),
    (30.44, "month"),
    (7.0, "week"),
    (1.0, "day"),
    (1 / 24, "hour"),
    (1 / 1440, "minute"),
)
_ROUND = 3.0  # how many of a unit a span must hold to be told in it


def stamps_of(table: Table) -> NDArray[np.float64]:
    """Return the time of each row: days of a column of dates, else its numbers; NaN where there is none."""
    values = table.frame[str(table.time)]
    if values.dtype.is_numeric():
        return values.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    days = values.dt.epoch("us").cast(pl.Float64) / _DAY
    return days.fill_null(float("nan")).to_numpy()


def within_gap(times: NDArray[np.float64], first: float, gap: float) -> NDArray[np.bool_]:
    """Return which rows lie less than the gap before the first scored moment, or after it."""
    return np.asarray(times > first - gap) if gap > 0.0 else np.asarray(times >= first)


def lasting(days: float) -> str:
    """Return a length of time in words, in the largest unit of which it holds three or a whole number.

    Examples
    --------
    >>> lasting(92.0), lasting(1.0), lasting(0.5)
    ('3 months', '1 day', '12 hours')
    """
    size, name = next(
        ((s, u) for s, u in _UNITS if days >= _ROUND * s or (days >= s and days % s == 0.0)), _UNITS[-1]
    )
    return counted(round(days / size), name)


def later_than(table: Table, distance: float) -> str:
    """Return a distance in time in words: of dates its length, of numbers how many they are."""
    column = table.column(str(table.time))
    return (
        lasting(distance) if column.base == "date" else f"{number(distance, 4)} in units of {column.name!r}"
    )


def ahead_words(table: Table, gap: float) -> str:
    """Return which rows a model of a block forward in time is fitted on."""
    if table.time is None or gap <= 0.0:
        return "all rows of earlier moments"
    return f"all rows at least {later_than(table, gap)} earlier"


def horizon_sentence(table: Table, train: NDArray[np.intp], test: NDArray[np.intp]) -> str:
    """Return how far after the last training row the test part begins and ends; "" where no time is known."""
    times = stamps_of(table)
    known = times[train][np.isfinite(times[train])]
    if not known.size:
        return ""
    end, scored = float(known.max()), times[test]
    first, last = float(np.nanmin(scored)) - end, float(np.nanmax(scored)) - end
    return (
        f"the score is about rows from {later_than(table, first)} to {later_than(table, last)} after the "
        "training ends"
    )
