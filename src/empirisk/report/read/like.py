"""Read a second file under the decisions of a first one: a test file, or rows to predict."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import polars as pl

from empirisk.report.errors import DataError, near_matches
from empirisk.report.read.carried import CARRIED, check_amounts
from empirisk.report.read.dates import find_date_format, parse_clock, parse_dates
from empirisk.report.read.fingerprint import fingerprint
from empirisk.report.read.huge import refuse_huge
from empirisk.report.read.markers import take_out_markers, take_out_numbers
from empirisk.report.read.numerals import as_words, label, parse_numbers, take_off_unit, too_long
from empirisk.report.read.parse import CLOCK
from empirisk.report.read.raw import RawFile, TextOptions, read_raw
from empirisk.report.read.summary import summarise
from empirisk.report.read.table import Column, Table
from empirisk.wording import counted

__all__ = ["read_like", "take_like"]


def read_like(path: Path, like: Table, text: TextOptions) -> Table:
    """Read `path` so that its columns mean what they mean in `like`.

    The target may be absent. Extra columns are left out and told; missing columns, values of another kind,
    and classes that `like` does not have are errors. Levels that `like` has not seen are told (the encoder
    counts them as rare).
    """
    names = tuple(c.name for c in like.columns)
    without = tuple(n for n in names if n != like.target)
    raw = read_raw(path, replace(text, expected=names, positional=names))
    if raw.frame.width == len(without) and raw.source.header.startswith("no header"):
        raw = read_raw(path, replace(text, expected=names, positional=without))
    return take_like(raw, like)


def take_like(raw: RawFile, like: Table) -> Table:
    """Give raw columns the meaning that they have in `like`; see :func:`read_like`."""
    notes = _check_columns(raw, like)
    if raw.frame.height == 0:
        raise DataError(f"{raw.source.name} has no rows below its header: give data with rows")
    present = [c for c in like.columns if c.name in raw.frame.columns]
    series = {c.name: _parse_like(raw.frame[c.name], c, raw) for c in present}
    refuse_huge(present, series, raw.source.name)
    absent = [c for c in like.columns if c.name not in series]
    frame = pl.DataFrame([series[c.name] for c in present])
    target = like.target if like.target in series else None
    known = None if target is None else series[target].is_not_null()
    for c in present:
        if c.role in CARRIED:
            check_amounts(c, series[c.name], raw.source.name, known)
    n_left_out = 0
    if target is not None:
        labels, note = _labels_like(frame[target], like, raw.source.name)
        frame = frame.with_columns(labels.alias(target)).filter(labels.is_not_null())
        n_left_out = len(labels) - frame.height
        notes += [note] if note else []
        if frame.height == 0:
            raise DataError(
                f"the target {target!r} of {raw.source.name} has no value in any row: fill it in or drop it"
            )
    unseen = [told for c in present if (told := _unseen(c, frame[c.name]))]
    columns = tuple(_recounted(c, frame[c.name]) for c in present)
    if absent:
        unused = [c for c in absent if c.name != like.target and c.role != "exposure"]
        told = ", ".join(repr(c.name) for c in unused)
        notes += [f"columns that the model does not use are absent: {told}"] if told else []
    return Table(
        frame=frame,
        columns=columns,
        target=target,
        task=like.task,
        classes=like.classes,
        positive=like.positive,
        source=replace(raw.source, notes=(*raw.source.notes, *notes)),
        fingerprint=fingerprint(frame),
        n_rows=frame.height,
        n_left_out=n_left_out,
        target_note=like.target_note,
        target_override="",
        unseen=tuple(unseen),
    )


def _check_columns(raw: RawFile, like: Table) -> list[str]:
    """Refuse a file without a needed column; return a note about extra ones."""
    have, known = raw.frame.columns, [c.name for c in like.columns]
    needed = [c.name for c in like.columns if c.role == "feature" or (c.role == "time" and c.levels)]
    lost = [n for n in needed if n not in have]
    if lost:
        shown = ", ".join(repr(n) for n in lost[:5]) + (f" and {len(lost) - 5} more" if len(lost) > 5 else "")
        extra = [n for n in have if n not in known]
        hint = near_matches(lost[0], extra)
        if not hint.startswith("did you mean"):
            hint = near_matches("", have)
        raise DataError(
            f"{raw.source.name} lacks {'columns' if len(lost) > 1 else 'the column'} {shown}: {hint}"
        )
    extra = [n for n in have if n not in known]
    if not extra:
        return []
    shown = ", ".join(repr(n) for n in extra[:5]) + (f" and {len(extra) - 5} more" if len(extra) > 5 else "")
    return [f"columns that the first table does not have are left out: {shown}"]


def _parse_like(values: pl.Series, column: Column, raw: RawFile) -> pl.Series:
    """Parse one column as the kind that it has in the first table."""
    if values.dtype == pl.Null:
        values = values.cast(pl.String)
    if values.dtype == pl.String:
        values, _ = take_out_markers(values.str.strip_chars(), column.missing_codes)
    elif values.dtype.is_numeric():
        values, _ = take_out_numbers(values, column.missing_codes)
    parsed = _convert(values, column)
    known = parsed.is_not_null()
    if parsed.dtype == pl.Float64:
        parsed, _ = take_out_numbers(parsed, column.missing_codes)
    bad = ~known & values.is_not_null()
    if values.dtype.is_float():
        bad = bad & values.is_finite()
    if column.role == "dropped" and column.kind == "id" and bad.any():
        return values.cast(pl.String).alias(column.name)  # it only names the rows
    if bad.any() and not column.n_unreadable and column.role != "dropped":
        row = int(bad.arg_max() or 0)
        raise DataError(
            f"{raw.source.name} row {row + 1}, column {column.name!r}: {str(values[row])[:40]!r} is no "
            f"{_noun(column)} "
            f"like in the first table: correct it or leave it empty{_otherwise(column, values[row])}"
        )
    return parsed.alias(column.name)


def _otherwise(column: Column, value: object) -> str:
    """Return what to do where a column of 0 and 1 is one of numbers, of which the first table had two."""
    try:
        float(str(value))
    except ValueError:
        return ""
    return "" if column.base != "boolean" else f", or read the first table with --types {column.name}=number"


def _noun(column: Column) -> str:
    if column.base == "boolean":
        return f"{column.truth[0]} or {column.truth[1]}"
    return {"number": "number", "date": f"date ({column.date_format})"}.get(column.base, "text")


def _convert(values: pl.Series, column: Column) -> pl.Series:
    if column.base == "string" or (column.role == "target" and column.levels):
        words = as_words(values) if values.dtype.is_float() else values.cast(pl.String)
        widths = {len(level) for level in column.levels}
        if values.dtype.is_numeric() and len(widths) == 1 and all(k.isdigit() for k in column.levels):
            return words.str.zfill(widths.pop())  # a typed 1067 is the postcode 01067
        return words
    if column.base == "number":
        if values.dtype != pl.String:
            out = values.cast(pl.Float64, strict=False)
            kept = out.is_finite() & ~_long(values, column)
            return pl.select(pl.when(kept).then(out)).to_series()
        if column.unit == CLOCK:
            return parse_clock(values)
        digits, _ = take_off_unit(values, column.unit) if column.unit else (values, "")
        first, second = (
            parse_numbers(digits, d) for d in ((",", ".") if column.decimal == "," else (".", ","))
        )
        best = second if second.null_count() < first.null_count() else first
        return pl.select(pl.when(~_long(digits, column)).then(best)).to_series()
    if column.base == "boolean":
        return _truth(values, column)
    if values.dtype == pl.String:
        # ISO dates mean the same everywhere, so they are read beside the format of the first table.
        formats = [column.date_format or find_date_format(values.drop_nulls())[0], "%Y-%m-%d", "iso"]
        return pl.select(pl.coalesce(*(parse_dates(values, f) for f in formats if f))).to_series()
    return values.cast(pl.Datetime("us"), strict=False)


def _long(values: pl.Series, column: Column) -> pl.Series:
    """Return whether values are whole numbers that were too long in the first table."""
    if not column.long_missing or values.dtype.is_float():
        return pl.repeat(False, len(values), dtype=pl.Boolean, eager=True)
    return too_long(values.cast(pl.String)).fill_null(False)


def _truth(values: pl.Series, column: Column) -> pl.Series:
    if values.dtype == pl.Boolean:
        return values
    if values.dtype.is_numeric():
        words = pl.Series([label(v) for v in values.cast(pl.Float64).to_list()], dtype=pl.String)
    else:
        words = values.str.to_lowercase().replace({"0.0": "0", "1.0": "1"})
    no, yes = (word.lower() for word in column.truth)
    return pl.select(pl.when(words == yes).then(True).when(words == no).then(False)).to_series()


def _bare(label_: str) -> str:
    """Return a label without case, blanks and closing points: adult.test writes "<=50K." for "<=50K"."""
    return re.sub(r"[\s.]+$", "", label_.strip()).casefold()


def _labels_like(values: pl.Series, like: Table, file: str) -> tuple[pl.Series, str]:
    """Match class labels with those of the first table, forgiving case and closing points when that is
    unambiguous."""
    if like.task == "regression":
        return values, ""
    if values.dtype == pl.Boolean:
        truth = like.column(str(like.target)).truth
        values = pl.Series(
            values.name, [None if v is None else truth[int(v)] for v in values.to_list()], dtype=pl.String
        )
    new = [v for v in values.drop_nulls().unique(maintain_order=True).to_list() if v not in like.classes]
    if not new:
        return values, ""
    bare = {_bare(c): c for c in like.classes}
    mapping = {v: bare[_bare(v)] for v in new if _bare(v) in bare and len(bare) == len(like.classes)}
    unknown = [v for v in new if v not in mapping]
    if unknown:
        shown = ", ".join(repr(v) for v in unknown[:3])
        known = ", ".join(repr(c) for c in like.classes[:5])
        raise DataError(
            f"the target {like.target!r} of {file} holds {shown}, but the classes are {known}: rename them"
        )
    told = ", ".join(f"{a!r} as {b!r}" for a, b in list(mapping.items())[:4])
    return values.replace(mapping), f"class labels are written differently here: {told}"


def _unseen(column: Column, values: pl.Series) -> str:
    if column.role != "feature" or column.kind != "categorical":
        return ""
    new = values.filter(~values.is_in(list(column.levels)) & values.is_not_null())
    if not len(new):
        return ""
    shown = ", ".join(repr(v) for v in new.unique(maintain_order=True).head(3).to_list())
    return (
        f"column {column.name!r} has {counted(len(new), 'row')} with levels that the first table does not "
        f"have ({shown})"
    )


def _recounted(column: Column, values: pl.Series) -> Column:
    some = values.drop_nulls()
    return replace(
        column,
        n_missing=values.null_count(),
        n_distinct=some.n_unique(),
        summary=summarise(values, column.kind),
    )
