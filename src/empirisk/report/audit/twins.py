"""Exact twins among the rows of a table, and whether chance alone would make them."""

from __future__ import annotations

import numpy as np
import polars as pl

from empirisk.diagnosis.identical import chance_pairs as independent_pairs
from empirisk.report.read.table import Table
from empirisk.wording import quoted

__all__ = ["chance_pairs", "compared", "n_repeats", "twin_groups", "twin_table"]


def compared(table: Table) -> str:
    """Return the columns in which twins agree, in words: "in all columns", or which are left out of the
    comparison.

    Every sentence about repeated rows counts by the same columns and says them.
    """
    kept = set(twin_table(table).columns)
    rest = [c.name for c in table.columns if c.name not in kept and c.kind not in ("constant", "empty")]
    return f"in all columns but {quoted(rest, 3)}" if rest else "in all columns"


def n_repeats(table: Table) -> int:
    """Return how many rows repeat an earlier one in these columns."""
    return int((np.bincount(twin_groups(table)) - 1).clip(min=0).sum())


def twin_table(table: Table) -> pl.DataFrame:
    """Return the columns in which twins agree.

    These are the target, its exposure and every column but ids, columns dropped by the user, and the group
    and time columns. Texts that the model does not use count: two passengers with different names are two
    passengers.
    """
    names = [
        c.name
        for c in table.columns
        if c.role in ("feature", "target", "exposure") or (c.role == "dropped" and c.kind == "text")
    ]
    return table.frame.select(names)


def numbered(frame: pl.DataFrame) -> np.ndarray:
    """Number the rows of a frame so that equal rows share a number."""
    named = frame.rename({name: f"c{i}" for i, name in enumerate(frame.columns)})
    first = named.with_row_index("row").select(pl.col("row").first().over(named.columns))
    return np.unique(first.to_series().to_numpy(), return_inverse=True)[1]


def twin_groups(table: Table) -> np.ndarray:
    """Number the rows so that exact twins share a number."""
    return numbered(twin_table(table))


def chance_pairs(table: Table) -> float:
    """About how many pairs of equal rows chance makes (:func:`empirisk.diagnosis.identical.chance_pairs`)."""
    frame = twin_table(table).unique()
    counts = [series.value_counts()["count"].to_numpy() for series in frame.get_columns()]
    return independent_pairs(table.frame.height, counts)
