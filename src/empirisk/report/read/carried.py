"""What the rows of a table carry beside their features: an exposure, a weight; checked cell by cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from empirisk.report.errors import DataError
from empirisk.report.read.table import Column, Table

__all__ = ["CARRIED", "amounts", "carried", "check_amounts", "check_counted", "exposures"]

# By the role of a column: the parameter of fits, and what each value must be.
CARRIED = {
    "exposure": ("exposure", "a number above 0"),
    "weight": ("sample_weight", "a number of at least 0"),
}


def check_amounts(column: Column, values: pl.Series, file: str, used: pl.Series | None = None) -> None:
    """Refuse a column of exposures or weights that is no column of numbers, or holds an impossible one.

    Parameters
    ----------
    column : Column
        Of the role "exposure" or "weight".
    values : polars.Series
        Its parsed values, one for each row of the file.
    file : str
        What the file is called.
    used : polars.Series of bool, optional
        The rows that count; those without a target do not.

    Raises
    ------
    DataError
        Names the column, the first such row, and what to do.
    """
    name, flag = column.name, f"--{column.role}"
    _, wanted = CARRIED[column.role]
    if not (values.dtype.is_numeric() or values.dtype == pl.Boolean):
        held = values.drop_nulls()
        such = f" such as {str(held[0])[:40]!r}" if len(held) else ""
        raise DataError(
            f"{file}: column {name!r} ({flag}) holds {column.kind} values{such}, and each must be {wanted}:"
            " name another column"
        )
    numbers = values.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    good = numbers > 0.0 if column.role == "exposure" else numbers >= 0.0
    bad = ~good if used is None else ~good & used.to_numpy()
    if bad.any():
        row = int(np.argmax(bad))
        shown = f"{numbers[row]:g}" if numbers[row] == numbers[row] else _unread(column, row)
        raise DataError(
            f"{file} row {row + 1}, column {name!r} ({flag}): the value is {shown}, and it must be {wanted}:"
            " correct it or leave the row out"
        )
    if not numbers[good].any():
        raise DataError(f"{file}: column {name!r} ({flag}) is 0 in all rows, so that no row counts")


def check_counted(target: str, values: pl.Series, exposure: str, file: str) -> None:
    """Refuse a target that cannot be counted over an exposure: one with a value below 0."""
    if values.dtype.is_numeric() and bool((values < 0).any()):
        row = int((values < 0).arg_max() or 0)
        raise DataError(
            f"{file} row {row + 1}, column {target!r}: {values[row]:g} cannot be counted over the exposure"
            f" {exposure!r}, because it is below 0: correct it or leave --exposure out"
        )


def _unread(column: Column, row: int) -> str:
    """Return what stands in a cell that holds no number, as far as it was kept."""
    known = dict(zip(column.unreadable_rows, column.unreadable, strict=False))
    text = known.get(row + 1)
    return "missing" if text is None else f"{text[:40]!r}, which is no number"


def amounts(table: Table, role: str) -> NDArray[np.float64] | None:
    """Return the exposures or the weights of the rows of a table; None where none were declared."""
    name = next((c.name for c in table.columns if c.role == role), None)
    return None if name is None else table.frame[name].cast(pl.Float64).to_numpy()


def exposures(table: Table, name: str | None, given: Any = None) -> dict[str, NDArray[np.float64]]:
    """Return the exposures of rows to predict by the name of the parameter: those given, or the column.

    Parameters
    ----------
    table : Table
        The rows.
    name : str or None
        The column of exposures that a model was fitted with; None for a model without one.
    given : array of shape (n,) or number, optional
        Exposures in the place of the column.

    Raises
    ------
    DataError
        The model needs exposures and there are none, or takes none and some are given.
    """
    if name is None:
        if given is not None:
            raise DataError("exposure was given, and this model was fitted without one: leave it out")
        return {}
    if given is not None:
        from empirisk.estimators.linear.offsets import check_offset

        check_offset(None, given, table.n_rows, True)
        return {"exposure": np.broadcast_to(np.asarray(given, dtype=np.float64), (table.n_rows,))}
    own = amounts(table, "exposure")
    if own is None:
        raise DataError(
            f"{table.source.name} lacks the column {name!r}, the exposure that the model was fitted with: add"
            " it, or predict with --exposure 1 for rates"
        )
    return {"exposure": own}


def carried(table: Table) -> list[str]:
    """Return in a sentence each what the rows of a table carry beside their features."""
    out = []
    if table.exposure is not None:
        out.append(
            f"Rates are per unit of column {table.exposure!r}, the exposure: {table.target} is counted over "
            "it, and the predicted number of a row is its rate times its exposure."
        )
    if table.weight is not None:
        out.append(
            f"Every row counts by column {table.weight!r}, its weight, in fits and in scores; intervals take"
            " weights for those of sampling."
        )
    return out
