"""Exact twins among the rows of a table, and whether chance alone would make them."""

from __future__ import annotations

import numpy as np
import polars as pl

from empirisk.report.table import Table

__all__ = ["chance_pairs", "twin_groups", "twin_pairs", "twin_table"]


def twin_table(table: Table) -> pl.DataFrame:
    """Return the columns in which twins agree.

    These are the target and every column but ids, columns dropped by the user, and the group and time
    columns. Texts that the model does not use count: two passengers with different names are two passengers.
    """
    names = [
        c.name
        for c in table.columns
        if c.role in ("feature", "target") or (c.role == "dropped" and c.kind == "text")
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


def twin_pairs(groups: np.ndarray) -> int:
    """Return the number of pairs of equal rows."""
    counts = np.bincount(groups).astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


def chance_pairs(table: Table) -> float:
    """Return about how many pairs of twins chance would make if the columns were independent of each other.

    ``n (n - 1)/2 * prod_j c_j`` with c_j the share of the pairs of *different* rows that agree in column j (a
    missing value is a value): different rows only, because copies must not count as evidence for chance.
    Dependent columns make more twins than independent ones: a count a hundred times as large does not prove
    that rows were copied.

    Examples
    --------
    All eight combinations of three coins: three of seven pairs agree in each column.

    >>> import types
    >>> frame = pl.DataFrame({n: [(i >> j) & 1 for i in range(8)] for j, n in enumerate("abc")})
    >>> columns = [types.SimpleNamespace(name=n, role="feature", kind="number") for n in "abc"]
    >>> expected = chance_pairs(types.SimpleNamespace(frame=frame, columns=columns))
    >>> round(expected, 6) == round(28 * (3 / 7) ** 3, 6)
    True
    """
    n = table.frame.height
    frame = twin_table(table).unique()
    m = frame.height
    if m < 2:
        return 0.5 * n * (n - 1)
    shares = 1.0
    for series in frame.get_columns():
        counts = series.value_counts()["count"].to_numpy().astype(np.float64)
        shares *= float((counts * (counts - 1.0)).sum()) / (m * (m - 1.0))
    return 0.5 * n * (n - 1) * shares
