"""The values of a column, parsed: which words mean missing, and what the others are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from empirisk.report.errors import DataError
from empirisk.report.read.amounts import MOSTLY, amounts, typed_number, with_unreadable
from empirisk.report.read.dates import find_date_format, mixed_formats, parse_clock, parse_dates
from empirisk.report.read.markers import take_out_markers
from empirisk.report.read.numerals import code_reason
from empirisk.report.read.table import Column, option
from empirisk.wording import listed

__all__ = ["CLOCK", "Reading", "parse_column", "truth_words"]

_TRUTHS = (
    ("no", "yes"),
    ("n", "y"),
    ("f", "t"),
    ("nein", "ja"),
    ("nei", "ja"),
    ("non", "oui"),
)
_SPELLINGS = (("false", "true"), ("False", "True"), ("FALSE", "TRUE"))
CLOCK = "hours after midnight"  # the unit of times of day
_LOOK = 50  # values at the top of a column that tell what to try


@dataclass(frozen=True)
class Reading:
    """How to read the values of a column.

    Parameters
    ----------
    decimal : {".", ","}
        The decimal mark to prefer.
    decimal_fixed : bool
        Whether the user gave it; otherwise a column that only the other mark explains is read with that one.
    codes : tuple of str
        Values of this column that stand for missing, beside the usual markers (``--missing``).
    """

    decimal: str = "."
    decimal_fixed: bool = False
    codes: tuple[str, ...] = ()


def parse_column(raw: pl.Series, reading: Reading, kind: str, detail: str) -> tuple[Column, pl.Series]:
    """Parse the values of a column.

    Parameters
    ----------
    raw : polars.Series
        Stripped strings, or typed values (Parquet, JSON Lines).
    reading : Reading
    kind : str
        The kind that the user asked for, or "".
    detail : str
        The date format that the user asked for, or "".

    Returns
    -------
    (Column, polars.Series)
        A column whose `base` and reading (markers, decimal mark, unit, date format) are final and whose kind
        is the natural one of its values; the parsed values.
    """
    column = Column(raw.name, "feature", "categorical", "", "", 0, 0, missing_codes=reading.codes)
    if raw.dtype == pl.Null:
        raw = raw.cast(pl.String)
    if raw.dtype.is_numeric():
        return typed_number(column, raw, kind)
    if raw.dtype == pl.Boolean:
        return replace(column, base="boolean", kind="boolean", reason="true or false"), raw
    if raw.dtype.is_temporal() and raw.dtype not in (pl.Time, pl.Duration):
        return _moments(column, _naive(raw), "a date type in the file")
    if raw.dtype == pl.Duration:
        return typed_number(column, raw.dt.total_microseconds() / 1e6, kind)
    if raw.dtype.is_nested() or raw.dtype in (pl.Binary, pl.Object):
        if kind:
            raise DataError(
                f"column {raw.name!r} holds {raw.dtype} values, not one value a row: it cannot be used"
            )
        reason = f"holds {raw.dtype} values, not one value a row"
        column = replace(column, kind="text", reason=reason, warning="cannot be used")
        return column, raw.is_not_null().cast(pl.String)
    values, markers = take_out_markers(raw.cast(pl.String).str.strip_chars(), reading.codes)
    column = replace(column, markers=markers)
    if kind in ("categorical", "text", "id"):
        return column, values
    return _parse_text(column, values, reading, kind, detail)


def _naive(raw: pl.Series) -> pl.Series:
    if raw.dtype == pl.Date:
        return raw.cast(pl.Datetime("us"))
    zone = getattr(raw.dtype, "time_zone", None)
    if zone:
        raw = raw.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return raw.cast(pl.Datetime("us"))


def _parse_text(
    column: Column, values: pl.Series, reading: Reading, kind: str, detail: str
) -> tuple[Column, pl.Series]:
    some = values.drop_nulls()
    if some.is_empty():
        return column, values
    if kind == "date" or (not kind and not _is_plain(some)):
        fmt, exchangeable = (detail, False) if detail else find_date_format(some, MOSTLY)
        if fmt or kind == "date":
            return _dates(column, values, fmt, exchangeable)
    if kind in ("", "number") and _mostly(parse_clock(some.head(_LOOK))):
        hours = parse_clock(values)
        if hours.len() - hours.null_count() >= MOSTLY * len(some):
            column = replace(column, base="number", kind="number", unit=CLOCK, reason=f"numbers in {CLOCK}")
            return with_unreadable(column, values, hours, "time of day"), hours.alias(values.name)
    if kind in ("", "boolean") and (truth := _truth(some)):
        words = values.str.to_lowercase() == truth[1].lower()
        return replace(column, base="boolean", kind="boolean", truth=truth, reason="/".join(truth)), words
    if not kind and (why := code_reason(some)):
        return replace(column, reason=why), values
    return amounts(column, values, reading.decimal, reading.decimal_fixed, kind)


def _mostly(parsed: pl.Series) -> bool:
    """Return whether more than half of the values could be read."""
    return 2 * parsed.null_count() < len(parsed)


def _is_plain(some: pl.Series) -> bool:
    """Return whether most of the first values are short plain numerals, which no date format can read."""
    plain = some.head(_LOOK).str.contains(r"^[+-]?\d{0,7}([.,]\d*)?$")
    return 2 * int(plain.sum()) >= len(plain)


def _truth(some: pl.Series) -> tuple[str, str] | None:
    """Return the (false, true) words of a column as they are spelled in it; lower case where that varies."""
    if some.head(50).str.to_lowercase().n_unique() > 2:
        return None
    words = some.unique().sort().to_list()
    spelled = {word.lower(): word for word in words}
    if spelled and set(spelled) <= {"true", "false"}:
        return next((s for s in _SPELLINGS if set(words) <= set(s)), _SPELLINGS[0])
    found = next((t for t in _TRUTHS if set(spelled) == set(t)), None)
    return (spelled[found[0]], spelled[found[1]]) if found else None


def _dates(column: Column, values: pl.Series, fmt: str, exchangeable: bool) -> tuple[Column, pl.Series]:
    if not fmt:
        if mixed := mixed_formats(values.drop_nulls(), MOSTLY):
            raise DataError(
                f"column {column.name!r} holds dates in several formats ({listed([repr(f) for f in mixed])}),"
                " and one is read: write them alike, such as 2020-12-31"
            )
        raise DataError(
            f"column {column.name!r} holds values that no known date format reads, such as "
            f"{values.drop_nulls()[0]!r}: give the format, --types '{column.name}=date:%d.%m.%Y'"
        )
    try:
        parsed = parse_dates(values, fmt)
    except pl.exceptions.PolarsError as error:
        raise DataError(
            f"--types {column.name}=date:{fmt} is no date format: write it like %d.%m.%Y"
        ) from error
    if parsed.null_count() == len(parsed):
        raise DataError(
            f"column {column.name!r} holds {values.drop_nulls()[0]!r}, which the date format {fmt} does not "
            "read: give another format"
        )
    column = with_unreadable(column, values, parsed, "date")
    if exchangeable:
        other = fmt.replace("%d", "\0").replace("%m", "%d").replace("\0", "%m")
        swap = f"day and month could be exchanged ({option('--types', column.name, f'date:{other}')})"
        column = replace(column, warning="; ".join(w for w in (column.warning, swap) if w))
    shown = "ISO 8601" if fmt in ("iso", "%Y-%m-%d") else fmt
    return _moments(replace(column, date_format=fmt), parsed, shown)


def _moments(column: Column, values: pl.Series, reason: str) -> tuple[Column, pl.Series]:
    """Note whether the dates have a time of day."""
    timed = bool((values.dt.epoch("us") % 86_400_000_000 != 0).any())
    return replace(
        column, base="date", kind="date", unit="time of day" if timed else "", reason=reason
    ), values


def truth_words(column: Column, values: pl.Series) -> pl.Series:
    """Write truth values as the words of their column, everything else as strings."""
    if values.dtype == pl.Boolean:
        return (
            pl.select(
                pl.when(values).then(pl.lit(column.truth[1])).when(~values).then(pl.lit(column.truth[0]))
            )
            .to_series()
            .alias(values.name)
        )
    return values.cast(pl.String)
