"""Numbers that cannot be squared: refused where they are read, before sums of squares overflow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from empirisk.estimators.checks import LARGEST
from empirisk.report.errors import DataError
from empirisk.report.read.table import Column

__all__ = ["refuse_huge"]


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
