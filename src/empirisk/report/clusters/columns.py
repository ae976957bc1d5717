"""Which columns decide on clusters, and why the others do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from empirisk.report.errors import DataError, require_column
from empirisk.report.fit.encode import rare_below
from empirisk.report.read.table import Column, Table, option
from empirisk.wording import percent

__all__ = ["ASIDE", "MOST_MISSING", "set_aside", "take_part"]

MOST_MISSING = 0.5  # share of the rows without a value beyond which a median would stand in most rows
ASIDE = "as asked (--drop)"


def take_part(table: Table, names: Sequence[str] = ()) -> Table:
    """Return the table whose features are the columns that decide on clusters.

    Identifiers, constants and empty columns were left out when the table was read. Free text, dates, columns
    that are mostly missing, levels that are nearly all rare, and copies of other columns leave here; a kind
    that was asked for with ``--types`` stays, but for dates.

    Parameters
    ----------
    table : Table
        Read without a target.
    names : sequence of str
        Columns that name the rows (``--id``): they are written beside the clusters.

    Raises
    ------
    DataError
        No column is left, or a name is none.
    """
    for name in names:
        require_column(name, table.frame.columns, option="--id", file=table.source.name)
    columns, seen = [], [str(n) for n in names]
    for column in table.columns:
        if column.name in names:
            override = f"leave {option('--id', column.name)} out"
            column = replace(column, role="dropped", kind="id", reason="as asked (--id)", override=override)
        elif column.role == "feature":
            why, override = _why_not(table, column, seen)
            if why:
                column = replace(column, role="dropped", reason=why, override=override)
            else:
                seen.append(column.name)
        columns.append(column)
    if not any(c.role == "feature" for c in columns):
        why = "; ".join(f"{c.name}: {c.reason}" for c in columns if c.role == "dropped")
        raise DataError(f"{table.source.name} has no column to group rows by ({why}): force one with --types")
    return replace(table, columns=tuple(columns))


def set_aside(table: Table) -> list[Column]:
    """Return the columns that the user left out and that a profile can show: they did not choose the groups.

    Examples
    --------
    >>> from empirisk.report.read.table import Source
    >>> column = Column("species", "dropped", "categorical", ASIDE, "", 0, 3)
    >>> table = Table(pl.DataFrame(), (column,), None, "clusters", (), "", Source("a.csv", "text"), "", 3)
    >>> [c.name for c in set_aside(table)]
    ['species']
    """
    kinds = ("number", "boolean", "categorical")
    return [c for c in table.columns if c.role == "dropped" and c.reason == ASIDE and c.kind in kinds]


def _why_not(table: Table, column: Column, before: Sequence[str]) -> tuple[str, str]:
    """Return why a column does not take part, and the option that makes it; two empty words when it does."""
    name, n = column.name, max(1, table.n_rows)
    if column.kind == "date":
        return "a date says when a row was made, not what it is like; give an age or a month instead", ""
    if column.kind == "text":
        return "groups are made without free text", option("--types", name, "categorical")
    if column.reason.startswith("as asked"):
        return "", ""
    if column.n_missing > MOST_MISSING * n:
        share = percent(column.n_missing / n)
        return f"{share} of its values are missing", option("--types", name, column.kind)
    values = table.frame[name]
    if column.kind == "categorical":
        counts = values.drop_nulls().value_counts()["count"]
        rare = int(counts.filter(counts < rare_below(table.n_rows)).sum())
        if rare > 0.5 * n:
            few = rare_below(table.n_rows)
            return (
                f"{percent(rare / n)} of its rows have levels with fewer than {few} rows",
                option("--types", name, "categorical"),
            )
    copies = (other for other in before if _same(values, table.frame[other]))
    other = next(copies, None)
    if other is not None:
        return f"a copy of {other}, which would count twice", option("--types", name, column.kind)
    return "", ""


def _same(a: pl.Series, b: pl.Series) -> bool:
    return bool(a.dtype == b.dtype and a.equals(b, check_names=False))
