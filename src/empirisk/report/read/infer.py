"""What the values of a column are, decided from the values and told with its reason."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

import polars as pl

from empirisk.report.errors import DataError, meant
from empirisk.report.read.amounts import MOSTLY
from empirisk.report.read.dates import MIXED, mixed_formats
from empirisk.report.read.numerals import as_words
from empirisk.report.read.parse import Reading, parse_column, truth_words
from empirisk.report.read.summary import summarise
from empirisk.report.read.table import Column, Kind, option
from empirisk.report.read.words import words_a_text
from empirisk.wording import listed

__all__ = ["infer_column"]

ASKED = "as asked (--types)"
USED = "its words are used"
UNUSABLE = "cannot be used"
MOST_CODES = 2.0  # words of a text on average; below are codes and names, whose words do not recur
_ASKED = ("number", "boolean", "categorical", "text", "date", "id")
_ID_NAME = re.compile(
    r"(^|[\s_.\-])(id|ids|uuid|guid|key|index|idx|nr|no|row|rownum|row_name|number)$", re.IGNORECASE
)
_ID_CAMEL = re.compile(r"[a-z](Id|ID|Key|UUID)$")


def infer_column(raw: pl.Series, reading: Reading, forced: str = "") -> tuple[Column, pl.Series]:
    """Decide what a column is and parse it.

    Parameters
    ----------
    raw : polars.Series
        Stripped strings, or typed values (Parquet, JSON Lines).
    reading : Reading
        Decimal mark and missing-value markers.
    forced : str
        A kind given with ``--types``, or ``date:FORMAT``; "" to decide from the values.

    Returns
    -------
    (Column, polars.Series)
        The column (role "feature" or "dropped") and its parsed values.

    Raises
    ------
    DataError
        Unknown kind, or values that cannot be read as the kind that was asked for.

    Examples
    --------
    >>> column, values = infer_column(pl.Series("price", ["1,5", "2,25", "?"]), Reading(","))
    >>> column.kind, values.to_list(), column.markers
    ('number', [1.5, 2.25, None], (('?', 1),))
    """
    kind, _, detail = forced.partition(":")
    if kind and kind not in _ASKED:
        raise DataError(
            f"--types {raw.name}={forced} is no kind of column: use one of {', '.join(_ASKED)}"
            f"{meant(kind, _ASKED)}"
        )
    column, values = parse_column(raw, reading, kind, detail)
    column = replace(
        column,
        n_missing=values.null_count(),
        n_distinct=values.drop_nulls().n_unique(),
    )
    column = _forced(column, values, kind) if kind else _decided(column, values)
    return _finish(column, values)


def _forced(column: Column, values: pl.Series, kind: str) -> Column:
    """Keep the kind that the user gave, provided the values have it."""
    if column.n_distinct == 0:
        return replace(column, kind="empty", reason="no value in any row, whatever its type")
    if kind == "number" and column.base == "boolean":
        return replace(column, kind="number", reason="as asked (--types); 0/1")
    needs = {"number": "number", "boolean": "boolean", "date": "date"}.get(kind)
    if needs and column.base != needs and column.n_distinct:
        raise DataError(
            f"column {column.name!r} cannot be read as {kind}: "
            f"it holds values such as {str(values.drop_nulls()[0])[:40]!r}; use --types "
            f"{column.name}=categorical"
        )
    return replace(column, kind=cast(Kind, kind), reason=ASKED)


def _decided(column: Column, values: pl.Series) -> Column:
    n = len(values) - column.n_missing
    if n == 0:
        return replace(column, kind="empty", reason="no value in any row")
    if column.kind == "text":
        return column
    if column.n_distinct == 1 and column.n_missing == 0:
        return replace(column, kind="constant", reason="the same value in every row")
    if column.n_distinct == 1:
        # "yes" or blank: the blanks are the other level.
        return replace(column, kind="categorical", reason="one value or none")
    many = column.base == "string" and column.n_distinct > max(10, n / 2)
    if many and (mixed := mixed_formats(values.drop_nulls(), MOSTLY)):
        return replace(column, kind="text", reason=f"{MIXED} ({listed([repr(f) for f in mixed])})")
    if n > 2 and column.n_distinct == n and (why := _id_like(column.name, values)):
        return replace(column, kind="id", reason=why)
    if column.base == "string":
        return _words(column, values, n)
    return column


def _id_like(name: str, values: pl.Series) -> str:
    """Say why a column whose values are all different only names its rows; "" when it does not."""
    named = bool(_ID_NAME.search(name) or _ID_CAMEL.search(name) or name == "")
    if values.dtype == pl.String:
        single = values.drop_nulls().str.contains(r"^\S*\d\S*$").all()
        return "a different value in every row: it names the rows" if single or named else ""
    if values.dtype != pl.Float64 or values.null_count():
        return ""
    steps = values.diff().drop_nulls()
    if named and bool((values == values.round(0)).all()):
        return "a different whole number in every row, and a name that says so"
    long = len(values) > 20 or name == "column_1" or name.startswith("Unnamed")
    if bool((steps == 1.0).all()) and float(values[0]) in (0.0, 1.0) and long:
        return "it counts the rows"
    return ""


def _words(column: Column, values: pl.Series, n: int) -> Column:
    told = f"{column.reason}; " if column.reason else ""
    if column.n_distinct <= max(10, n / 2) and column.reason:
        return column
    if column.n_distinct == n and n > 2:
        return replace(column, kind="text", reason=f"{told}a different text in every row")
    if column.n_distinct > max(10, n / 2):
        return replace(
            column, kind="text", reason=f"{told}{column.n_distinct:,} distinct texts in {n:,} rows"
        )
    return replace(column, kind="categorical", reason=f"{told}words that recur")


def _free(column: Column, values: pl.Series) -> Column:
    """Say whether the words of a text are used: of texts of two words or more on average, or as asked."""
    if column.reason.startswith(MIXED):
        return column
    used = column.reason == ASKED or words_a_text(values) >= MOST_CODES
    return replace(column, reason=f"{column.reason}{f'; {USED}' if used else ', mostly of one word'}")


def _finish(column: Column, values: pl.Series) -> tuple[Column, pl.Series]:
    """Set role, override, levels and summary; a constant or id keeps its values in the frame."""
    name, kind = column.name, column.kind
    if kind == "categorical" and column.base != "string":
        values = as_words(values) if values.dtype == pl.Float64 else truth_words(column, values)
        column = replace(column, base="string")
    if kind == "number" and values.dtype == pl.Boolean:
        values, column = values.cast(pl.Float64), replace(column, base="number")
    if kind == "text" and column.warning != UNUSABLE:
        column = _free(column, values)
    dropped = kind in ("id", "constant", "empty") or (kind == "text" and not column.reason.endswith(USED))
    levels = tuple(sorted(values.drop_nulls().unique().to_list())) if kind == "categorical" else ()
    suggestion = {
        "number": "categorical",
        "boolean": "categorical",
        "date": "categorical",
        "categorical": "text",
        "text": "categorical",
    }
    if dropped:
        forced = "number" if column.base == "number" else "categorical"
        override = "" if kind == "empty" or column.warning == UNUSABLE else option("--types", name, forced)
    else:
        override = f"{option('--types', name, suggestion[kind])} or {option('--drop', name)}"
    return (
        replace(
            column,
            role="dropped" if dropped else "feature",
            override=override,
            levels=levels,
            summary=summarise(values, kind),
        ),
        values,
    )
