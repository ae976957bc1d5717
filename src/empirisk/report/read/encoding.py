"""From bytes to text: compression, byte-order marks, UTF-8, UTF-16, Windows-1252, Latin-1."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path

from empirisk.report.errors import DataError

__all__ = ["decode", "read_bytes"]

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ARCHIVES = (
    (b"PK\x03\x04", "a zip archive or a spreadsheet (.xlsx)", "save or unpack it as .csv"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet (.xls)", "save it as .csv"),
    (b"BZh", "a bzip2 file", "unpack it"),
    (b"\xfd7zXZ", "an xz file", "unpack it"),
    (b"\x28\xb5\x2f\xfd", "a zstandard file", "unpack it"),
    (b"%PDF", "a PDF", "export the table as .csv"),
)


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file, unpacked when it is a gzip file (told by its first bytes).

    Raises
    ------
    DataError
        The file is missing, a folder, unreadable, empty, damaged, or of a known other kind.
    """
    name = path.name or str(path)
    if path.is_dir():
        raise DataError(f"{name} is a folder: give the path of one file in it")
    if not path.exists():
        raise DataError(f"{name} does not exist{_siblings(path)}")
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{name} is a damaged gzip file ({error}): copy or download it again") from error
    except OSError as error:
        raise DataError(
            f"{name} cannot be read ({error.strerror or error}): check its permissions"
        ) from error
    for magic, kind, remedy in _ARCHIVES:
        if data.startswith(magic):
            raise DataError(f"{name} is {kind}, not text: {remedy}")
    if name.endswith(".gz") and data[:1000].count(0) > 10 and not _looks_utf16(data):
        raise DataError(f"{name} holds no text: it should be a gzipped .csv, .tsv or .txt file")
    if not data:
        raise DataError(f"{name} is empty (0 bytes): give a file with a header line and rows")
    return data


def _siblings(path: Path) -> str:
    from difflib import get_close_matches

    try:
        near = get_close_matches(path.name, [p.name for p in path.parent.iterdir()], n=1)
    except OSError:
        near = []
    return f": did you mean {near[0]}?" if near else ": check the path"


def _looks_utf16(data: bytes) -> str:
    """Return the UTF-16 flavour of text without a byte-order mark, or "": half of its bytes are NUL."""
    head = data[:4000]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.4 * len(head[1::2]) and even < 0.05 * len(head):
        return "utf-16-le"
    if even > 0.4 * len(head[0::2]) and odd < 0.05 * len(head):
        return "utf-16-be"
    return ""


def _found(data: bytes, name: str) -> str:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return encoding
    if utf16 := _looks_utf16(data):
        return utf16
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError as error:
        _refuse_damaged_utf8(data, error, name)
        # Five byte values have no meaning in Windows-1252.
        return "latin-1" if any(b in data for b in b"\x81\x8d\x8f\x90\x9d") else "cp1252"


def _refuse_damaged_utf8(data: bytes, error: UnicodeDecodeError, name: str) -> None:
    """Refuse text that is UTF-8 but for a few bytes: as Windows-1252 every other letter would come out
    wrong."""
    text = data.decode("utf-8", errors="replace")
    lost = text.count("\ufffd")
    if sum(ord(c) > 127 for c in text) - lost > lost:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(
            f"{name} is utf-8 but for {lost} byte{'' if lost == 1 else 's'} (the first is "
            f"{data[error.start]:#x} in line {line}): mend it, or force --encoding cp1252"
        ) from error


def decode(data: bytes, name: str, encoding: str | None = None) -> tuple[str, str]:
    """Return the text and the encoding that was used (found when `encoding` is None).

    Raises
    ------
    DataError
        Unknown encoding, bytes that it cannot hold, or a file that is no text at all.

    Examples
    --------
    >>> decode("naïve".encode("cp1252"), "a.csv")
    ('naïve', 'cp1252')
    >>> decode(b"\\xef\\xbb\\xbfa,b", "a.csv")
    ('a,b', 'utf-8-sig')
    """
    used = encoding or _found(data, name)
    try:
        codecs.lookup(used)
        text = data.decode(used)
    except LookupError as error:
        raise DataError(f"--encoding {used!r} is not known: try utf-8, cp1252, latin-1 or utf-16") from error
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(
            f"{name} cannot be read as {used}: byte {data[error.start]:#x} in line {line}; "
            "leave --encoding out or name another one (cp1252, latin-1)"
        ) from error
    strange = sum(text[:4000].count(chr(c)) for c in range(32) if chr(c) not in "\t\n\r\f")
    nul = text.count("\x00")
    if 0 < nul <= 0.01 * len(text) + 3 and strange <= max(3.0, 0.05 * len(text[:4000])):
        line = text[: text.index("\x00")].count("\n") + 1
        raise DataError(
            f"{name} line {line} holds a NUL byte{'' if nul == 1 else f' ({nul:,} in the file)'}, which is no"
            " text: remove it, or write the file again"
        )
    if nul or strange > 0.05 * len(text[:4000]):
        raise DataError(
            f"{name} holds no text (binary bytes): give a .csv, .tsv, .txt, .jsonl or .parquet file"
        )
    return text.removeprefix("\ufeff"), used
