"""The ranges of the training rows, and which rows of another file lie far outside of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from empirisk.report.read.table import Column, Table
from empirisk.wording import plain

__all__ = ["far_outside", "training_ranges"]

_DAY = 86_400e6  # microseconds
_SHOWN = 8  # sentences


def training_ranges(table: Table, rows: np.ndarray) -> dict[str, list[float]]:
    """Return the smallest and largest value of each feature that is a number or a date (in days since
    1970-01-01).

    Parameters
    ----------
    table : Table
    rows : int array
        The training rows.
    """
    part = table.frame[np.asarray(rows, dtype=np.int64)]
    out = {}
    for c in table.columns:
        if c.role == "feature" and c.kind in ("number", "date"):
            values = _values(part[c.name])
            known = values[np.isfinite(values)]
            if known.size:
                out[c.name] = [float(known.min()), float(known.max())]
    return out


def far_outside(table: Table, ranges: Mapping[str, Sequence[float]]) -> list[str]:
    """Say, for each column, how many rows lie farther outside the training rows than those are spread.

    Parameters
    ----------
    table : Table
        Rows to predict.
    ranges : mapping of str to (low, high)
        From :func:`training_ranges`.

    Examples
    --------
    >>> import polars as pl
    >>> from empirisk.report.read.table import Source
    >>> column = Column("x", "feature", "number", "", "", 0, 3)
    >>> frame = pl.DataFrame({"x": [3.0, 12.0, 1e9]})
    >>> table = Table(frame, (column,), None, "regression", (), "", Source("a.csv", "text"), "", 3)
    >>> far_outside(table, {"x": [0.0, 10.0]})
    ["column 'x': 1 row lies far outside the training rows, which reach from 0 to 10 (row 3: 1,000,000,000)"]
    """
    told = []
    for c in table.columns:
        if c.role != "feature" or c.name not in ranges:
            continue
        low, high = ranges[c.name]
        width = (high - low) or abs(high) or 1.0
        values = _values(table.frame[c.name])
        beyond = np.maximum(low - values, values - high)
        rows = np.flatnonzero(np.nan_to_num(beyond, nan=0.0) > width)
        if rows.size:
            worst = int(rows[np.argmax(beyond[rows])])
            n = f"{rows.size:,} rows lie" if rows.size > 1 else "1 row lies"
            told.append(
                f"column {c.name!r}: {n} far outside the training rows, which reach from {_shown(c, low)} to"
                f" {_shown(c, high)} (row {worst + 1:,}: {_shown(c, values[worst])})"
            )
    if len(told) > _SHOWN:
        told = [
            *told[:_SHOWN],
            f"and {len(told) - _SHOWN} more columns have rows far outside the training rows",
        ]
    return told


def _values(series: pl.Series) -> np.ndarray:
    if series.dtype.is_temporal():
        return (
            (series.cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64) / _DAY)
            .fill_null(np.nan)
            .to_numpy()
        )
    return series.cast(pl.Float64).fill_null(np.nan).to_numpy()


def _shown(column: Column, value: float) -> str:
    if column.kind == "date":
        days = float(np.clip(value, -3_000_000.0, 3_000_000.0))
        return str(np.datetime64(0, "D") + np.timedelta64(int(days), "D"))
    return plain(float(value))
