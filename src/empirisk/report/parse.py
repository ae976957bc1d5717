"""The values of a column, parsed: which words mean missing, and what the others are."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import polars as pl

from empirisk.report.dates import find_date_format, parse_clock, parse_dates
from empirisk.report.errors import DataError
from empirisk.report.markers import take_out_markers
from empirisk.report.numerals import is_code, label, parse_numbers, take_off_unit
from empirisk.report.table import Column, option

__all__ = ["CLOCK", "Reading", "as_words", "parse_column", "truth_words"]

_TRUTHS = (
    ("no", "yes"),
    ("n", "y"),
    ("f", "t"),
    ("nein", "ja"),
    ("nei", "ja"),
    ("non", "oui"),
)
CLOCK = "hours after midnight"  # the unit of times of day
_MOSTLY = 0.9  # share of numbers from which the other values are taken for damaged numbers


@dataclass(frozen=True)
class Reading:
    """How to read the values of every column of a file.

    Parameters
    ----------
    decimal : {".", ","}
        The decimal mark to prefer.
    decimal_fixed : bool
        Whether the user gave it; otherwise a column that only the other mark explains is read with that one.
    markers : frozenset of str or None
        Missing-value markers given by the user, in lower case.
    """

    decimal: str = "."
    decimal_fixed: bool = False
    markers: frozenset[str] | None = None


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
    column = Column(raw.name, "feature", "categorical", "", "", 0, 0)
    if raw.dtype == pl.Null:
        raw = raw.cast(pl.String)
    if raw.dtype.is_numeric():
        return _typed_number(column, raw, kind)
    if raw.dtype == pl.Boolean:
        return replace(column, base="boolean", kind="boolean", reason="true or false"), raw
    if raw.dtype.is_temporal() and raw.dtype not in (pl.Time, pl.Duration):
        return _moments(column, _naive(raw), "a date type in the file")
    if raw.dtype == pl.Duration:
        return _typed_number(column, raw.dt.total_microseconds() / 1e6, kind)
    if raw.dtype.is_nested() or raw.dtype in (pl.Binary, pl.Object):
        if kind:
            raise DataError(
                f"column {raw.name!r} holds {raw.dtype} values, not one value a row: it cannot be used"
            )
        reason = f"holds {raw.dtype} values, not one value a row"
        column = replace(column, kind="text", reason=reason, warning="cannot be used")
        return column, raw.is_not_null().cast(pl.String)
    values, markers = take_out_markers(raw.cast(pl.String).str.strip_chars(), reading.markers)
    column = replace(column, markers=markers)
    if kind in ("categorical", "text", "id"):
        return column, values
    return _parse_text(column, values, reading, kind, detail)


def _typed_number(column: Column, raw: pl.Series, kind: str) -> tuple[Column, pl.Series]:
    if raw.dtype.is_integer() and raw.len() and bool((raw.abs() >= 10**15).any()):
        return replace(column, reason="whole numbers too long for exact arithmetic"), raw.cast(pl.String)
    values = raw.cast(pl.Float64)
    finite = values.is_finite()
    if not finite.fill_null(True).all():
        values = pl.select(pl.when(finite).then(values)).to_series().alias(raw.name)
    if kind in ("categorical", "text", "id"):
        return column, as_words(values)
    return _number(column, values)


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
        fmt, exchangeable = (detail, False) if detail else find_date_format(some, _MOSTLY)
        if fmt or kind == "date":
            return _dates(column, values, fmt, exchangeable)
    clock = kind in ("", "number") and ":" in str(some[0])
    if clock and (hours := parse_clock(values)).null_count() == values.null_count():
        column = replace(column, base="number", kind="number", unit=CLOCK, reason=f"numbers in {CLOCK}")
        return column, hours.alias(values.name)
    if kind in ("", "boolean") and (truth := _truth(some)):
        words = values.str.to_lowercase() == truth[1].lower()
        return replace(column, base="boolean", kind="boolean", truth=truth, reason="/".join(truth)), words
    if not kind and is_code(some):
        return replace(column, reason="codes with leading zeros or very long numbers stay text"), values
    return _numbers(column, values, some, reading, kind)


def _is_plain(some: pl.Series) -> bool:
    """Whether the first value is a short plain numeral, which no date format can read."""
    return bool(some.head(1).str.contains(r"^[+-]?\d{0,7}([.,]\d*)?$").all())


def _truth(some: pl.Series) -> tuple[str, str] | None:
    """Return the (false, true) words of a column as they are spelled in it; true and false in lower case."""
    if some.head(50).str.to_lowercase().n_unique() > 2:
        return None
    spelled = {word.lower(): word for word in some.unique().sort().to_list()}
    if spelled and set(spelled) <= {"true", "false"}:
        return "false", "true"
    found = next((t for t in _TRUTHS if set(spelled) == set(t)), None)
    return (spelled[found[0]], spelled[found[1]]) if found else None


def _dates(column: Column, values: pl.Series, fmt: str, exchangeable: bool) -> tuple[Column, pl.Series]:
    if not fmt:
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
    column = _with_unreadable(column, values, parsed, "dates")
    if exchangeable:
        other = fmt.replace("%d", "\0").replace("%m", "%d").replace("\0", "%m")
        swap = f"day and month could be exchanged ({option('--types', column.name, f'date:{other}')})"
        column = replace(column, warning="; ".join(w for w in (column.warning, swap) if w))
    shown = "ISO 8601" if fmt in ("iso", "%Y-%m-%d") else fmt
    return _moments(replace(column, date_format=fmt), parsed, shown)


def _with_unreadable(column: Column, values: pl.Series, parsed: pl.Series, noun: str) -> Column:
    """Note the values that could not be read and therefore count as missing."""
    bad = values.filter(parsed.is_null() & values.is_not_null())
    if bad.is_empty():
        return column
    examples = tuple(bad.unique(maintain_order=True).head(3).to_list())
    shown = ", ".join(repr(e[:30]) for e in examples)
    told = f"{len(bad):,} value{' is' if len(bad) == 1 else 's are'} no {noun} and count as missing ({shown})"
    return replace(column, n_unreadable=len(bad), unreadable=examples, warning=told)


def _moments(column: Column, values: pl.Series, reason: str) -> tuple[Column, pl.Series]:
    """Note whether the dates have a time of day."""
    timed = bool((values.dt.epoch("us") % 86_400_000_000 != 0).any())
    return replace(
        column, base="date", kind="date", unit="time of day" if timed else "", reason=reason
    ), values


def _numbers(
    column: Column, values: pl.Series, some: pl.Series, reading: Reading, kind: str
) -> tuple[Column, pl.Series]:
    digits, unit = take_off_unit(values)
    tried = (
        [reading.decimal]
        if reading.decimal_fixed
        else [reading.decimal, "," if reading.decimal == "." else "."]
    )
    best, decimal = parse_numbers(digits, tried[0]), tried[0]
    if best.null_count() > values.null_count() and len(tried) > 1:
        other = parse_numbers(digits, tried[1])
        if other.null_count() < best.null_count():
            best, decimal = other, tried[1]
    n_good = len(best) - best.null_count()
    if n_good == 0 and kind == "number":
        raise DataError(
            f"column {column.name!r} holds no number (its first value is {some[0]!r}): leave --types out"
        )
    if n_good < (1 if kind == "number" else _MOSTLY * len(some)):
        share = n_good / len(some)
        mixed = f"numbers ({100 * share:.0f} %) and words are mixed" if share > 0.1 else ""
        return replace(column, warning=mixed), values
    column = _with_unreadable(replace(column, decimal=decimal, unit=unit), values, best, "numbers")
    if not reading.decimal_fixed and (told := _ambiguous(digits.drop_nulls(), decimal)):
        column = replace(column, warning="; ".join(w for w in (column.warning, told) if w))
    return _number(column, best.alias(values.name))


def _ambiguous(digits: pl.Series, decimal: str) -> str:
    """Say so when every mark in a column could be a thousands separator or the decimal mark."""
    marked = digits.filter(digits.str.contains("[.,]"))
    other = "," if decimal == "." else "."
    if marked.is_empty() or not marked.str.contains(rf"^[+-]?[1-9]\d{{0,2}}{re.escape(other)}\d{{3}}$").all():
        return ""
    told = marked[0].replace(other, "")
    return f"{marked[0]!r} is read as {told}, thousands apart: --decimal '{other}' if it is a decimal mark"


def _number(column: Column, values: pl.Series) -> tuple[Column, pl.Series]:
    unit = f" in {column.unit}" if column.unit else ""
    mark = " with a decimal comma" if column.decimal == "," and (values % 1.0 != 0.0).any() else ""
    some = values.drop_nulls()
    first = some.head(100).unique().to_list()
    if set(first) <= {0.0, 1.0} and set(some.unique().to_list()) == {0.0, 1.0} and not unit:
        truth = replace(column, base="boolean", kind="boolean", truth=("0", "1"), reason="0/1")
        return truth, values == 1.0
    return replace(column, base="number", kind="number", reason=f"numbers{unit}{mark}"), values


def as_words(values: pl.Series) -> pl.Series:
    """Write numbers as labels: 3.0 as "3"."""
    return pl.Series(values.name, [label(v) for v in values.to_list()], dtype=pl.String)


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
