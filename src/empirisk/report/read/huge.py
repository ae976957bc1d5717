"""Numbers that cannot be squared: refused where they are read, before sums of squares overflow or vanish."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from empirisk.estimators.checks import LARGEST
from empirisk.report.errors import DataError
from empirisk.report.read.table import Column, option

__all__ = ["refuse_huge", "refuse_tiny"]

LEAST = 1.0 / LARGEST  # squares of smaller numbers are 0, or have lost digits


def refuse_huge(columns: Iterable[Column], values: Mapping[str, pl.Series] | pl.DataFrame, file: str) -> None:
    """Refuse numbers above 1e150 in size in the target and the features: their squares overflow.

    Parameters
    ----------
    columns : iterable of Column
    values : mapping of names to series, or frame
        Parsed, with all rows of the file.
    file : str
        File name for messages.

    Raises
    ------
    DataError
        It names the first row, the column and the number.
    """
    for c in columns:
        if c.kind != "number" or c.role not in ("feature", "target"):
            continue
        series = values[c.name]
        huge = (series.cast(pl.Float64).abs() > LARGEST).fill_null(False)
        if huge.any():
            row = int(huge.arg_max() or 0)
            raise DataError(
                f"{file} row {row + 1}, column {c.name!r}: {series[row]:g} is too large, its square"
                " overflows: correct it or leave it empty, or write the column in a larger unit"
            )


def refuse_tiny(columns: Iterable[Column], frame: pl.DataFrame, file: str) -> None:
    """Refuse columns that hold numbers, all below 1e-150 in size: the squares of all of them vanish.

    Parameters
    ----------
    columns : iterable of Column
    frame : polars.DataFrame
        Parsed, with all rows of the file from which is learned; rows to predict may hold such numbers.
    file : str
        File name for messages.

    Raises
    ------
    DataError
        It names the first row with a number, the column and the number.
    """
    for c in columns:
        if c.kind != "number" or c.role not in ("feature", "target"):
            continue
        size = frame[c.name].cast(pl.Float64).abs().fill_nan(None)
        if 0.0 < float(size.max() or 0.0) < LEAST:  # type: ignore[arg-type]
            row = int((size > 0.0).fill_null(False).arg_max() or 0)
            leave = f", or leave it out with {option('--drop', c.name)}" if c.role == "feature" else ""
            raise DataError(
                f"{file} row {row + 1}, column {c.name!r}: {frame[c.name][row]:g} is too small, its square"
                f" vanishes, like those of all numbers of this column: write it in a smaller unit{leave}"
            )
