"""From text to a frame of strings, with every record checked for its number of fields."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter

import numpy as np
import polars as pl

from empirisk.report.errors import DataError
from empirisk.report.read.sniff import BLANKS, Dialect, split_blanks

__all__ = ["string_frame"]

_MAX_FIELD = 16 * 1024 * 1024  # bytes; the csv module stops at 128 KiB by default


def string_frame(text: str, dialect: Dialect, name: str, above: int = 0) -> tuple[pl.DataFrame, list[str]]:
    """Parse a text table into columns of stripped strings ``column_1 ...``; the first record is a row like
    the others.

    Parameters
    ----------
    text : str
        The whole file.
    dialect : Dialect
        From :func:`empirisk.report.read.sniff.sniff`.
    name : str
        File name for messages.
    above : int, default 0
        Lines of the file that stand before `text`, for the numbers of lines.

    Returns
    -------
    (polars.DataFrame, list of str)
        The frame, and the first record as it stands (a header can have other numbers of fields than the rows:
        see `header_fields`).

    Raises
    ------
    DataError
        A record has more or fewer fields than the others (its line is named), or a quote is never closed.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = re.sub(r"^ +$", "", text, flags=re.MULTILINE)
    if dialect.delimiter == BLANKS:
        rows = [(i, split_blanks(line)) for i, line in enumerate(text.split("\n"), 1 + above) if line.strip()]
        return _from_lists(rows, name)
    delimiter, quote = dialect.delimiter or "\x1f", dialect.quote
    buffer = text.encode()
    layout = _layout(buffer, delimiter, quote)
    if layout is None:
        return _from_lists(_csv_records(text, delimiter, quote, name, above), name)
    starts, ends, fields, lines = layout
    width = _check_widths(fields, lines + above, name)
    first = next(
        csv.reader([text_line(buffer, starts[0], ends[0])], delimiter=delimiter, quotechar=quote), [""]
    )
    body = _without_blank_lines(buffer, starts, ends)
    if fields[0] != width:
        body = body[body.index(b"\n", ends[0] - starts[0]) + 1 :]
    frame = pl.read_csv(
        io.BytesIO(body),
        has_header=False,
        separator=delimiter,
        quote_char=quote,
        infer_schema=False,
    )
    frame = frame.select(pl.all().fill_null("").str.strip_chars())
    if fields[0] != width:
        frame = pl.concat([pl.DataFrame([[c] for c in _fitted(first, width)], schema=frame.schema), frame])
    return frame, [cell.strip() for cell in first]


def text_line(buffer: bytes, start: int, end: int) -> str:
    """Return the text of one record, without its line end."""
    return buffer[start:end].decode()


def _layout(
    buffer: bytes, delimiter: str, quote: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
    """Find the records: where each starts and ends, its number of fields and its line; blank lines left out.

    None when quotes stand inside fields, which only the slower reader understands. One vectorised pass: a
    byte is inside quotes when an odd number of quotes precedes it (a sum modulo 256 keeps the parity).
    """
    codes = np.frombuffer(buffer if buffer.endswith(b"\n") else buffer + b"\n", dtype=np.uint8)
    newline, separator = codes == 10, codes == ord(delimiter)
    newlines = np.flatnonzero(newline)
    if quote.encode() in buffer:
        marks = codes == ord(quote)
        odd = (np.cumsum(marks, dtype=np.uint8) & 1).astype(bool)
        if odd[-1] or not _regular_quotes(codes, marks, odd, ord(delimiter)):
            return None
        newline, separator = newline & ~odd, separator & ~odd
    ends = np.flatnonzero(newline)
    starts = np.concatenate([[0], ends[:-1] + 1])
    fields = np.diff(np.searchsorted(np.flatnonzero(separator), np.concatenate([[0], ends]))) + 1
    lines = np.searchsorted(newlines, starts) + 1
    filled = np.array(ends > starts)
    if not filled.all():
        starts, ends, fields, lines = starts[filled], ends[filled], fields[filled], lines[filled]
    return starts, ends, fields, lines


def _regular_quotes(codes: np.ndarray, marks: np.ndarray, odd: np.ndarray, delimiter: int) -> bool:
    """Return whether every opening quote starts a field (or is doubled) and every closing quote ends one."""
    places = np.flatnonzero(marks)
    opening, closing = places[odd[places]], places[~odd[places]]
    before = codes[np.maximum(opening - 1, 0)]
    after = codes[np.minimum(closing + 1, len(codes) - 1)]
    mark = codes[places[0]]
    doubled = np.isin(opening - 1, closing)
    good_open = (opening == 0) | (before == delimiter) | (before == 10) | doubled
    good_close = (after == delimiter) | (after == 10) | (after == mark)
    return bool(good_open.all() and good_close.all())


def _without_blank_lines(buffer: bytes, starts: np.ndarray, ends: np.ndarray) -> bytes:
    kept = int((ends - starts + 1).sum())
    if kept >= len(buffer):
        return buffer if buffer.endswith(b"\n") else buffer + b"\n"
    return b"".join(buffer[a:b] + b"\n" for a, b in zip(starts.tolist(), ends.tolist(), strict=True))


def _check_widths(fields: np.ndarray, lines: np.ndarray, name: str) -> int:
    """Return the number of fields that all records share; the first may have another one (a header without
    row names, or with names of columns that no row has)."""
    if len(fields) == 0:
        raise DataError(f"{name} holds blank lines only: give a file with a header line and rows")
    rest = fields[1:] if len(fields) > 1 else fields
    values, counts = np.unique(rest, return_counts=True)
    width = int(values[np.argmax(counts)])
    wrong = np.flatnonzero(fields != width)
    if len(wrong) and wrong[0] == 0 and (len(fields) > 2 or fields[0] == width - 1):
        wrong = wrong[1:]
    if len(wrong):
        i = int(wrong[0])
        more = f" (and {len(wrong) - 1:,} more lines)" if len(wrong) > 1 else ""
        raise DataError(
            f"{name} line {int(lines[i])}{more} has {int(fields[i])} fields where the other lines have "
            f"{width}: "
            "mend or delete it, or name the separator with --delimiter"
        )
    return width


def _fitted(first: list[str], width: int) -> list[str]:
    """Return the first record with as many fields as the others."""
    return [*first, *[""] * (width - len(first))][:width]


def _csv_records(text: str, delimiter: str, quote: str, name: str, above: int) -> list[tuple[int, list[str]]]:
    """Read records with quotes inside fields, the slow and forgiving way; also says which quote is never
    closed."""
    csv.field_size_limit(_MAX_FIELD)
    lines = text.split("\n")
    reader = csv.reader(
        (line + "\n" for line in lines), delimiter=delimiter, quotechar=quote, skipinitialspace=True
    )
    rows, line = [], 1 + above
    try:
        for row in reader:
            if row:
                rows.append((line, row))
            line = reader.line_num + 1 + above
    except csv.Error as error:
        raise DataError(f"{name} line {line} cannot be read ({error}): mend or delete it") from error
    if rows and len(rows) > 1 and len(rows[-1][1]) != len(rows[-2][1]) and rows[-1][1][-1].count("\n") > 1:
        raise DataError(
            f"{name} line {rows[-1][0]} opens a quote ({quote}) that is never closed: close or remove it"
        )
    return rows


def _from_lists(rows: list[tuple[int, list[str]]], name: str) -> tuple[pl.DataFrame, list[str]]:
    fields = np.array([len(row) for _, row in rows])
    width = _check_widths(fields, np.array([line for line, _ in rows]), name)
    first = [cell.strip() for cell in rows[0][1]]
    cells = [_fitted(rows[0][1], width), *(row for _, row in rows[1:])]
    columns = list(zip(*cells, strict=True))
    frame = pl.DataFrame(
        {f"column_{j}": pl.Series(list(c), dtype=pl.String) for j, c in enumerate(columns, 1)}
    )
    return frame.select(pl.all().str.strip_chars()), first


def header_fields(first: list[str], width: int) -> tuple[list[str], list[str], list[tuple[str, str]]]:
    """Return the column names that a header gives, made complete and unique, a note and a pair for every
    change.

    Examples
    --------
    >>> header_fields(["a", "a", ""], 3)[0]
    ['a', 'a_2', 'column_3']
    >>> header_fields(["x", "y"], 3)[0]
    ['row_name', 'x', 'y']
    >>> header_fields(["x", "y"], 4)[1]
    ['the header has 2 names for 4 columns: the last 2 are called by their number']
    >>> header_fields(["x", "y", "z"], 2)[:2]
    (['x', 'y'], ["the header has 3 names for 2 columns: 'z' is left out"])
    """
    notes: list[str] = []
    renamed: list[tuple[str, str]] = []
    names = [" ".join(name.split()) for name in first]
    if len(names) == width - 1:
        names = ["row_name", *names]
        notes.append("the header is one name short: the first column is taken for row names ('row_name')")
    elif len(names) < width:
        n = width - len(names)
        notes.append(
            f"the header has {len(names)} names for {width} columns: the last {n} are called by their number"
        )
        names = [*names, *(f"column_{j}" for j in range(len(names) + 1, width + 1))]
    elif len(names) > width:
        lost = [name for name in names[width:] if name]
        told = ", ".join(repr(name) for name in lost[:3]) + (
            f" and {len(lost) - 3} more" if len(lost) > 3 else ""
        )
        verb = "is" if len(lost) == 1 else "are"
        notes += (
            [f"the header has {len(names)} names for {width} columns: {told} {verb} left out"] if lost else []
        )
        names = names[:width]
    taken = Counter(names)
    out: list[str] = []
    for j, name in enumerate(names, 1):
        new = name or f"column_{j}"
        k = 2
        while new in out or (new != name and new in taken):
            new = f"{name or f'column_{j}'}_{k}"
            k += 1
        if not name:
            notes.append(f"column {j} has no name in the header: called {new!r}")
        elif new != name:
            notes.append(f"the header names {name!r} twice: column {j} is called {new!r}")
            renamed.append((name, new))
        out.append(new)
    return out, notes, renamed
