"""What the values of a column are, decided from the values and told with its reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import polars as pl

from empirisk.report.dates import find_date_format, parse_dates
from empirisk.report.errors import DataError
from empirisk.report.markers import take_out_markers
from empirisk.report.numerals import is_code, parse_numbers, take_off_unit
from empirisk.report.summary import summarise
from empirisk.report.table import KINDS, Column, option

__all__ = ["Reading", "infer_column"]

_TRUTHS = (("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"), ("nein", "ja"), ("nei", "ja"), ("non", "oui"))
_ID_NAME = re.compile(r"(^|[\s_.\-])(id|ids|uuid|guid|key|index|idx|nr|no|row|rownum|row_name|number)$", re.IGNORECASE)
_ID_CAMEL = re.compile(r"[a-z](Id|ID|Key|UUID)$")
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
    if kind and kind not in KINDS:
        raise DataError(f"--types {raw.name}={forced} is no kind of column: use one of {', '.join(KINDS)}")
    column, values = _parse(raw, reading, kind, detail)
    column = replace(
        column,
        n_missing=values.null_count(),
        n_distinct=values.drop_nulls().n_unique(),
    )
    column = _forced(column, values, kind) if kind else _decided(column, values)
    return _finish(column, values)


def _blank(name: str) -> Column:
    return Column(name, "feature", "categorical", "", "", 0, 0)


def _parse(raw: pl.Series, reading: Reading, kind: str, detail: str) -> tuple[Column, pl.Series]:
    column = _blank(raw.name)
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
        reason = f"holds {raw.dtype} values, not one value a row"
        return replace(column, kind="text", reason=reason, warning="cannot be used"), raw.is_not_null().cast(pl.String)
    values, markers = take_out_markers(raw.cast(pl.String).str.strip_chars(), reading.markers)
    column = replace(column, markers=markers)
    if kind in ("categorical", "text", "id"):
        return column, values
    return _parse_text(column, values, reading, kind, detail)


def _typed_number(column: Column, raw: pl.Series, kind: str) -> tuple[Column, pl.Series]:
    if raw.dtype.is_integer() and raw.len() and int(raw.abs().max() or 0) >= 10**15:
        return replace(column, reason="whole numbers too long for exact arithmetic"), raw.cast(pl.String)
    values = raw.cast(pl.Float64)
    finite = values.is_finite()
    if not finite.fill_null(True).all():
        values = pl.select(pl.when(finite).then(values)).to_series().alias(raw.name)
    if kind in ("categorical", "text", "id"):
        return column, _as_words(values)
    return _number(column, values)


def _naive(raw: pl.Series) -> pl.Series:
    if raw.dtype == pl.Date:
        return raw.cast(pl.Datetime("us"))
    zone = getattr(raw.dtype, "time_zone", None)
    if zone:
        raw = raw.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return raw.cast(pl.Datetime("us"))


def _as_words(values: pl.Series) -> pl.Series:
    """Write numbers as labels: 3.0 as "3"."""
    from empirisk.report.numerals import label

    return pl.Series(values.name, [label(v) for v in values.to_list()], dtype=pl.String)


def _parse_text(
    column: Column, values: pl.Series, reading: Reading, kind: str, detail: str
) -> tuple[Column, pl.Series]:
    some = values.drop_nulls()
    if some.is_empty():
        return column, values
    if kind == "date" or (not kind and not is_plain(some)):
        fmt, exchangeable = (detail, False) if detail else find_date_format(some)
        if fmt or kind == "date":
            return _dates(column, values, fmt, exchangeable)
    if kind in ("", "boolean") and (truth := _truth(some)):
        words = values.str.to_lowercase() == truth[1]
        return replace(column, base="boolean", kind="boolean", truth=truth, reason="/".join(truth)), words
    if not kind and is_code(some):
        return replace(column, reason="codes with leading zeros or very long numbers stay text"), values
    return _numbers(column, values, some, reading, kind)


def is_plain(some: pl.Series) -> bool:
    """Whether the first value is a short plain numeral, which no date format can read."""
    return bool(some.head(1).str.contains(r"^[+-]?\d{0,7}([.,]\d*)?$").all())


def _truth(some: pl.Series) -> tuple[str, str] | None:
    words = set(some.str.to_lowercase().unique().to_list()) if some.head(50).n_unique() <= 4 else set()
    for truth in _TRUTHS:
        if words == set(truth) or (words and truth == ("false", "true") and words <= set(truth)):
            return truth
    return None


def _dates(column: Column, values: pl.Series, fmt: str, exchangeable: bool) -> tuple[Column, pl.Series]:
    if not fmt:
        raise DataError(
            f"column {column.name!r} holds values that no known date format reads, such as "
            f"{values.drop_nulls()[0]!r}: give the format, --types '{column.name}=date:%d.%m.%Y'"
        )
    try:
        parsed = parse_dates(values, fmt)
    except pl.exceptions.PolarsError as error:
        raise DataError(f"--types {column.name}=date:{fmt} is no date format: write it like %d.%m.%Y") from error
    bad = values.filter(parsed.is_null() & values.is_not_null())
    if len(bad):
        raise DataError(
            f"column {column.name!r} holds {bad[0]!r}, which the date format {fmt} does not read: "
            "correct it or give another format"
        )
    warning = ""
    if exchangeable:
        other = fmt.replace("%d", "\0").replace("%m", "%d").replace("\0", "%m")
        warning = f"day and month could be exchanged: --types '{column.name}=date:{other}' for the other reading"
    shown = "ISO 8601" if fmt in ("iso", "%Y-%m-%d") else fmt
    return _moments(replace(column, date_format=fmt, warning=warning), parsed, shown)


def _moments(column: Column, values: pl.Series, reason: str) -> tuple[Column, pl.Series]:
    """Note whether the dates have a time of day."""
    timed = bool((values.dt.epoch("us") % 86_400_000_000 != 0).any())
    return replace(column, base="date", kind="date", unit="time of day" if timed else "", reason=reason), values


def _numbers(
    column: Column, values: pl.Series, some: pl.Series, reading: Reading, kind: str
) -> tuple[Column, pl.Series]:
    digits, unit = take_off_unit(values)
    tried = [reading.decimal] if reading.decimal_fixed else [reading.decimal, "," if reading.decimal == "." else "."]
    best, decimal = parse_numbers(digits, tried[0]), tried[0]
    if best.null_count() > values.null_count() and len(tried) > 1:
        other = parse_numbers(digits, tried[1])
        if other.null_count() < best.null_count():
            best, decimal = other, tried[1]
    n_good = len(best) - best.null_count()
    if n_good == 0 and kind == "number":
        raise DataError(f"column {column.name!r} holds no number (its first value is {some[0]!r}): leave --types out")
    if n_good < (1 if kind == "number" else _MOSTLY * len(some)):
        share = n_good / len(some)
        mixed = f"numbers ({100 * share:.0f} %) and words are mixed" if share > 0.1 else ""
        return replace(column, warning=mixed), values
    bad = values.filter(best.is_null() & values.is_not_null())
    column = replace(column, decimal=decimal, unit=unit)
    if len(bad):
        examples = tuple(bad.unique(maintain_order=True).head(3).to_list())
        shown = ", ".join(repr(e[:30]) for e in examples)
        column = replace(
            column,
            n_unreadable=len(bad),
            unreadable=examples,
            warning=f"{len(bad):,} values are no numbers and count as missing ({shown})",
        )
    return _number(column, best.alias(values.name))


def _number(column: Column, values: pl.Series) -> tuple[Column, pl.Series]:
    unit = f" in {column.unit}" if column.unit else ""
    mark = " with a decimal comma" if column.decimal == "," and (values % 1.0 != 0.0).any() else ""
    some = values.drop_nulls()
    if len(some) and set(some.head(100).unique().to_list()) <= {0.0, 1.0} and some.n_unique() == 2:
        if set(some.unique().to_list()) == {0.0, 1.0} and not unit:
            return replace(column, base="boolean", kind="boolean", truth=("0", "1"), reason="0/1"), values == 1.0
    return replace(column, base="number", kind="number", reason=f"numbers{unit}{mark}"), values


def _forced(column: Column, values: pl.Series, kind: str) -> Column:
    """Keep the kind that the user gave, provided the values have it."""
    if kind == "number" and column.base == "boolean":
        return replace(column, kind="number", reason="as asked (--types); 0/1")
    needs = {"number": "number", "boolean": "boolean", "date": "date"}.get(kind)
    if needs and column.base != needs and column.n_distinct:
        raise DataError(
            f"column {column.name!r} cannot be read as {kind}: "
            f"it holds values such as {str(values.drop_nulls()[0])[:40]!r}; use --types {column.name}=categorical"
        )
    kept = {"number": "number", "boolean": "boolean", "date": "date"}.get(kind, kind)
    return replace(column, kind=kept, reason="as asked (--types)")  # type: ignore[arg-type]


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
    if bool((steps == 1.0).all()) and float(values[0]) in (0.0, 1.0) and len(values) > 20:
        return "it counts the rows"
    return ""


def _words(column: Column, values: pl.Series, n: int) -> Column:
    told = f"{column.reason}; " if column.reason else ""
    if column.n_distinct <= max(10, n / 2) and column.reason:
        return column
    if column.n_distinct == n and n > 2:
        return replace(column, kind="text", reason=f"{told}a different text in every row")
    if column.n_distinct > max(10, n / 2):
        return replace(column, kind="text", reason=f"{told}{column.n_distinct:,} distinct texts in {n:,} rows")
    return replace(column, kind="categorical", reason=f"{told}words that recur")


def _finish(column: Column, values: pl.Series) -> tuple[Column, pl.Series]:
    """Set role, override, levels and summary; a constant or id keeps its values in the frame."""
    name, kind = column.name, column.kind
    if kind in ("categorical", "text", "id") and column.base != "string":
        if kind == "categorical":
            values = _as_words(values) if values.dtype == pl.Float64 else _words_of(column, values)
            column = replace(column, base="string")
    dropped = kind in ("id", "constant", "empty", "text")
    levels = tuple(sorted(values.drop_nulls().unique().to_list())) if kind == "categorical" else ()
    suggestion = {"number": "categorical", "boolean": "categorical", "date": "categorical", "categorical": "text"}
    if dropped:
        forced = "number" if column.base == "number" else "categorical"
        override = "" if kind == "empty" else option("--types", name, forced)
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


def _words_of(column: Column, values: pl.Series) -> pl.Series:
    if values.dtype == pl.Boolean:
        return pl.select(
            pl.when(values).then(pl.lit(column.truth[1])).when(~values).then(pl.lit(column.truth[0]))
        ).to_series().alias(values.name)
    return values.cast(pl.String)
