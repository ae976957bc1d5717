"""A file as a frame of raw columns: strings from text files, typed values from Parquet and JSON Lines."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from empirisk.report.encoding import decode, read_bytes
from empirisk.report.errors import DataError
from empirisk.report.numerals import decimal_evidence
from empirisk.report.sniff import delimiter_name, has_header, sniff, without_comments
from empirisk.report.table import Source
from empirisk.report.text_rows import header_fields, string_frame

__all__ = ["RawFile", "TextOptions", "read_raw"]


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
    """The raw columns and the format in which they were written."""

    frame: pl.DataFrame
    source: Source
    decimal: str = "."


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
        return _typed(_parquet(path), Source(path.name, "parquet"))
    if last in (".jsonl", ".ndjson", ".json"):
        return _typed(_json_lines(read_bytes(path), path.name), Source(path.name, "jsonl"))
    return _text(path, options)


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
    text, comments = without_comments(text)
    dialect = sniff(text, options.delimiter or tab)
    frame, first = string_frame(text, dialect, name)
    header, body = _header(frame, first, options)
    names, notes = list(header.names), [*comments, *header.notes]
    if body.width > 1 and names[-1] == f"column_{body.width}" and body.height:
        trailing = bool((body.to_series(-1) == "").all())
        if trailing and (len(first) < body.width or not first[-1]):
            body, names = body.select(pl.all().exclude(body.columns[-1])), names[:-1]
            notes = [*notes[:-1], "every line ends with a separator: the empty last column is left out"]
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


@dataclass(frozen=True)
class _Header:
    names: tuple[str, ...]
    told: str
    notes: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()


def _header(frame: pl.DataFrame, first: Sequence[str], options: TextOptions) -> tuple[_Header, pl.DataFrame]:
    """Decide about the header; return it and the rows below."""
    found, why = has_header([list(r) for r in frame.head(200).iter_rows()], options.expected)
    short = len(first) == frame.width - 1
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
    fields = list(first)
    if short and frame.height > 1 and bool((frame.to_series(-1).slice(1) == "").all()):
        fields = [*fields, ""]
    unique, notes, renamed = header_fields(fields, frame.width)
    told = "header found" if options.header is None else "header"
    return _Header(tuple(unique), told, tuple(notes), tuple(renamed)), frame.slice(1)


def _decimal(frame: pl.DataFrame) -> str:
    """Return the decimal mark that more columns can only be read with."""
    votes = [decimal_evidence(frame[c].head(2000)) for c in frame.columns]
    points = sum(1 for point, comma in votes if point > comma)
    commas = sum(1 for point, comma in votes if comma > point)
    return "," if commas > points else "."
