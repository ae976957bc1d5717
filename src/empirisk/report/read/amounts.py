"""A column of numbers: its unit, its decimal mark, and the odd cells in it, each counted and told."""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl

from empirisk.report.errors import DataError
from empirisk.report.read.markers import take_out_numbers
from empirisk.report.read.numerals import as_words, bracketed, padded, parse_numbers, take_off_unit, too_long
from empirisk.report.read.table import Column
from empirisk.wording import percent

__all__ = ["MOSTLY", "amounts", "typed_number", "with_unreadable"]

MOSTLY = 0.9  # share of readable values from which the others are taken for damaged ones
_LONGEST = 10**15  # whole numbers beyond are not exact in a float


def typed_number(column: Column, raw: pl.Series, kind: str) -> tuple[Column, pl.Series]:
    """Read numbers that the file holds as numbers.

    Parameters
    ----------
    column : Column
    raw : polars.Series of numbers
    kind : str
        The kind that the user asked for, or "".
    """
    values = raw.cast(pl.Float64)
    if raw.dtype.is_integer() and raw.len() and kind != "number":
        long = ((raw >= _LONGEST) | (raw <= -_LONGEST)).fill_null(False)
        if int(long.sum()) > (1.0 - MOSTLY) * (len(raw) - raw.null_count()):
            return replace(column, reason="whole numbers of more than 15 digits are codes"), raw.cast(
                pl.String
            )
        if long.any() and not kind:
            values = pl.select(pl.when(~long).then(values)).to_series().alias(raw.name)
            column = with_unreadable(
                replace(column, long_missing=True), raw.cast(pl.String), values, "number"
            )
    finite = values.is_finite()
    if not finite.fill_null(True).all():
        values = pl.select(pl.when(finite).then(values)).to_series().alias(raw.name)
    if kind in ("categorical", "text", "id"):
        return column, as_words(take_out_numbers(values, column.missing_codes)[0])
    return _number(column, values)


def amounts(column: Column, values: pl.Series, mark: str, fixed: bool, kind: str) -> tuple[Column, pl.Series]:
    """Read a column of strings as numbers when nine in ten are numerals; leave it as words otherwise.

    Parameters
    ----------
    column : Column
    values : polars.Series of strings
        Nulls for missing.
    mark : {".", ","}
        Decimal mark of the file.
    fixed : bool
        Whether no other one may be tried.
    kind : str
        The kind that the user asked for, or "".
    """
    some = values.drop_nulls()
    digits, unit = take_off_unit(values)
    best, decimal = parse_numbers(digits, mark), mark
    if best.null_count() > values.null_count() and not fixed:
        other = parse_numbers(digits, "," if mark == "." else ".")
        if other.null_count() < best.null_count():
            best, decimal = other, "," if mark == "." else "."
    long = too_long(digits).fill_null(False)
    if kind != "number" and long.any():
        best = pl.select(pl.when(~long).then(best)).to_series()
        column = replace(column, long_missing=True)
    n_good = len(best) - best.null_count()
    if n_good == 0 and kind == "number":
        raise DataError(
            f"column {column.name!r} holds no number (its first value is {some[0]!r}): leave --types out"
        )
    if n_good < (1 if kind == "number" else MOSTLY * len(some)):
        share = n_good / len(some)
        mixed = f"numbers ({percent(share)}) and words are mixed" if share > 0.1 else ""
        return replace(column, warning=mixed, long_missing=False), values
    column = with_unreadable(replace(column, decimal=decimal, unit=unit), values, best, "number")
    known = values.filter(best.is_not_null())
    told = [
        _few(known, (digits == values).filter(best.is_not_null()), f"without {unit} read as the others")
        if unit
        else "",
        _few(known, padded(known), "with leading zeros read as numbers"),
        "" if fixed else _ambiguous(digits.drop_nulls(), decimal),
    ]
    column = replace(column, warning="; ".join(w for w in (column.warning, *told) if w))
    column, best = _number(column, best.alias(values.name))
    if column.base == "number" and bracketed(known).any():
        column = replace(column, reason=f"{column.reason}, those in brackets negative")
    return column, best


def with_unreadable(column: Column, values: pl.Series, parsed: pl.Series, noun: str) -> Column:
    """Note the values that could not be read and count as missing, and where the first ones stand."""
    bad = parsed.is_null() & values.is_not_null()
    if not bad.any():
        return column
    first: dict[str, int] = {}
    for row in bad.arg_true().to_list():
        first.setdefault(values[row], row + 1)
        if len(first) == 3:
            break
    shown = ", ".join(f"{cell[:30]!r} in row {row:,}" for cell, row in first.items())
    n = int(bad.sum())
    some = f"1 value is no {noun} and counts" if n == 1 else f"{n:,} values are no {noun} and count"
    told = f"{some} as missing ({shown})"
    return replace(
        column, n_unreadable=n, unreadable=tuple(first), unreadable_rows=tuple(first.values()), warning=told
    )


def _few(known: pl.Series, odd: pl.Series, what: str) -> str:
    """Tell values that are written unlike the others and are read like them; "" when none or many are."""
    n = int(odd.fill_null(False).sum())
    if n == 0 or n > (1.0 - MOSTLY) * len(known):
        return ""
    shown = ", ".join(repr(v[:30]) for v in known.filter(odd).unique(maintain_order=True).head(3).to_list())
    return f"{n:,} value{'' if n == 1 else 's'} {what} ({shown})"


def _ambiguous(digits: pl.Series, decimal: str) -> str:
    """Say so when every mark in a column could be a thousands separator or the decimal mark."""
    marked = digits.filter(digits.str.contains("[.,]"))
    other = "," if decimal == "." else "."
    if marked.is_empty() or not marked.str.contains(rf"^[+-]?[1-9]\d{{0,2}}{re.escape(other)}\d{{3}}$").all():
        return ""
    told = marked[0].replace(other, "")
    return f"{marked[0]!r} is read as {told}, thousands apart: --decimal '{other}' if it is a decimal mark"


def _number(column: Column, values: pl.Series) -> tuple[Column, pl.Series]:
    """Take out the codes for missing, and tell numbers from 0/1."""
    values, found = take_out_numbers(values, column.missing_codes)
    column = replace(column, markers=(*column.markers, *found))
    unit = f" in {column.unit}" if column.unit else ""
    mark = " with a decimal comma" if column.decimal == "," and (values % 1.0 != 0.0).any() else ""
    some = values.drop_nulls()
    first = some.head(100).unique().to_list()
    if set(first) <= {0.0, 1.0} and set(some.unique().to_list()) == {0.0, 1.0} and not unit:
        truth = replace(column, base="boolean", kind="boolean", truth=("0", "1"), reason="0/1")
        return truth, values == 1.0
    return replace(column, base="number", kind="number", reason=f"numbers{unit}{mark}"), values
