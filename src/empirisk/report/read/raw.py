"""A file as a frame of raw columns: strings from text files, typed values from Parquet and JSON Lines."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from empirisk.report.errors import DataError
from empirisk.report.read.encoding import decode, read_bytes
from empirisk.report.read.numerals import decimal_evidence
from empirisk.report.read.sniff import (
    Dialect,
    delimiter_name,
    has_header,
    lines_above_header,
    sniff,
    without_comments,
)
from empirisk.report.read.table import Source
from empirisk.report.read.text_rows import header_fields, string_frame
from empirisk.wording import listed

__all__ = ["RawFile", "TextOptions", "read_raw", "refuse_text_options"]


@dataclass(frozen=True)
class TextOptions:
    """What the user said about a text file; None where it is to be found.

    `expected` are names that the header should hold; `positional` the names to use when there is no header.
    """

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    expected: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()


@dataclass(frozen=True)
class RawFile:
    """The raw columns, the format in which they were written, and which of them a frame calls categories."""

    frame: pl.DataFrame
    source: Source
    decimal: str = "."
    factors: tuple[str, ...] = ()


def read_raw(path: Path, options: TextOptions) -> RawFile:
    """Read a .csv, .tsv, .txt (also .gz), .parquet or .jsonl file without interpreting its values."""
    if path.is_dir() or not path.exists():
        read_bytes(path)  # says so in a sentence
    suffixes = [s.lower() for s in path.suffixes]
    last = next((s for s in reversed(suffixes) if s != ".gz"), "")
    try:
        with path.open("rb") as file:
            parquet = file.read(4) == b"PAR1"
    except OSError as error:
        raise DataError(
            f"{path.name} cannot be read ({error.strerror or error}): check its permissions"
        ) from error
    if parquet or last in (".parquet", ".pq"):
        refuse_text_options(options, path.name)
        return _typed(_parquet(path), Source(path.name, "parquet"))
    if last in (".jsonl", ".ndjson", ".json"):
        refuse_text_options(options, path.name)
        return _typed(_json_lines(read_bytes(path), path.name), Source(path.name, "jsonl"))
    return _text(path, options)


def refuse_text_options(options: TextOptions, name: str) -> None:
    """Refuse what the user said about a text file where the rows come from something else.

    Raises
    ------
    DataError
        Names the options.

    Examples
    --------
    >>> refuse_text_options(TextOptions(), "a.parquet")
    """
    given = [
        key for key in ("delimiter", "decimal", "encoding", "header") if getattr(options, key) is not None
    ]
    if given:
        flags = listed([f"--{key}" for key in given])
        raise DataError(f"{flags}: only text files such as CSV are read so, and {name} is none: leave it out")


def _typed(frame: pl.DataFrame, source: Source) -> RawFile:
    names, notes, renamed = header_fields([n.strip() for n in frame.columns], frame.width)
    frame.columns = names
    return RawFile(frame, Source(source.name, source.format, notes=tuple(notes), renamed=tuple(renamed)))


def _parquet(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(
            f"{path.name} is no readable Parquet file ({_first_line(error)}): write it again"
        ) from error


def _json_lines(data: bytes, name: str) -> pl.DataFrame:
    text, _ = decode(data, name)
    lines = [line for line in text.splitlines() if line.strip()]
    keys: dict[str, None] = {}
    for i, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(
                f"{name} line {i} is no JSON ({error.msg}): one object a line is needed"
            ) from error
        if not isinstance(record, dict):
            raise DataError(
                f"{name} line {i} is no JSON object: one object a line is needed, {{'column': value}}"
            )
        keys.update(dict.fromkeys(record))
    if not lines:
        raise DataError(f"{name} is empty: give one JSON object a line")
    try:
        frame = pl.read_ndjson(io.BytesIO("\n".join(lines).encode()), infer_schema_length=None)
    except pl.exceptions.PolarsError as error:
        raise DataError(
            f"{name} cannot be read as a table ({_first_line(error)}): keep one type a column"
        ) from error
    return frame.select(list(keys))


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0][:120]


def _text(path: Path, options: TextOptions) -> RawFile:
    name = path.name
    text, encoding = decode(read_bytes(path), name, options.encoding)
    tab = "tab" if ".tsv" in [s.lower() for s in path.suffixes] else None
    whole = text = text.replace("\r\n", "\n").replace("\r", "\n")
    text, comments = without_comments(text)
    dialect = sniff(text, options.delimiter or tab)
    text, titles = _below_titles(text, dialect, options)
    above = whole.count("\n") - text.count("\n")
    frame, first = string_frame(text, dialect, name, above)
    frame, first, trailing = _without_empty_end(frame, first, options)
    header, body = _header(frame, first, options, name, above + 1)
    names, notes = list(header.names), [*comments, *titles, *header.notes, *trailing]
    body.columns = names
    decimal = options.decimal or _decimal(body)
    if decimal not in (".", ","):
        raise DataError(f"--decimal {decimal!r} is no decimal mark: use '.' or ','")
    source = Source(
        name,
        "text",
        encoding.replace("utf-8-sig", "utf-8 with a byte-order mark"),
        delimiter_name(dialect.delimiter),
        decimal,
        dialect.quote,
        header.told,
        tuple(notes),
        header.renamed,
    )
    return RawFile(body, source, decimal)


def _below_titles(text: str, dialect: Dialect, options: TextOptions) -> tuple[str, list[str]]:
    """Leave out the lines above the header when the names that were given stand further down, and say so."""
    lines = text[:60_000].split("\n")[:200]
    filled = [i for i, line in enumerate(lines) if line.strip()]
    whole = [
        i for i in filled if lines[i].count(dialect.quote) % 2 == 0
    ]  # records of several lines are no titles
    if options.header is False or not options.expected or whole[:20] != filled[:20]:
        return text, []
    rows = [(dialect.split([lines[i]]) or [[]])[0] for i in whole]
    k = lines_above_header(rows, options.expected) if rows else 0
    if k == 0:
        return text, []
    told = f"{k} line{' is' if k == 1 else 's are'} left out above the header"
    return "\n".join([*text.split("\n", filled[k])[filled[k] :]]), [
        f"{told} ({lines[filled[0]].strip()[:40]!r})"
    ]


def _without_empty_end(
    frame: pl.DataFrame, first: list[str], options: TextOptions
) -> tuple[pl.DataFrame, list[str], list[str]]:
    """Leave out columns at the end that hold neither a name nor a value, and say so."""
    width = frame.width
    named = options.header is not False and len(first) <= width
    cells = frame.slice(1) if named else frame
    while width > 1 and cells.height and bool((cells.to_series(width - 1) == "").all()):
        if named and len(first) >= width and first[width - 1]:
            break
        width -= 1
    n = frame.width - width
    if n == 0:
        return frame, first, []
    told = (
        "every line ends with a separator: the empty last column is left out"
        if n == 1
        else f"every line ends with {n} separators: the {n} empty last columns are left out"
    )
    return frame.select(frame.columns[:width]), first[:width], [told]


@dataclass(frozen=True)
class _Header:
    names: tuple[str, ...]
    told: str
    notes: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()


def _header(
    frame: pl.DataFrame, first: Sequence[str], options: TextOptions, name: str, line: int
) -> tuple[_Header, pl.DataFrame]:
    """Decide about the header; return it and the rows below."""
    found, why = has_header([list(r) for r in frame.head(200).iter_rows()], options.expected)
    short = len(first) == frame.width - 1
    if len(first) != frame.width and not short and not found and not options.header:
        raise DataError(
            f"{name} line {line} has {len(first)} fields where the other lines have {frame.width}, and"
            " holds no names: mend or delete it, or name the separator with --delimiter"
        )
    if options.header is False or (options.header is None and not found and not short):
        told = "no header" if options.header is False else "no header found"
        if len(options.positional) == frame.width:
            return _Header(options.positional, f"{told}: columns taken by position"), frame
        note = (
            f"the columns are called column_1 to column_{frame.width}, because {why}: --header if it "
            "holds names"
        )
        names = tuple(f"column_{j}" for j in range(1, frame.width + 1))
        return _Header(names, told, (note,) if options.header is None else ()), frame
    unique, notes, renamed = header_fields(list(first), frame.width)
    told = "header found" if options.header is None else "header"
    return _Header(tuple(unique), told, tuple(notes), tuple(renamed)), frame.slice(1)


def _decimal(frame: pl.DataFrame) -> str:
    """Return the decimal mark that more columns can only be read with."""
    votes = [decimal_evidence(frame[c].head(2000)) for c in frame.columns]
    points = sum(1 for point, comma in votes if point > comma)
    commas = sum(1 for point, comma in votes if comma > point)
    return "," if commas > points else "."
