"""SHA-256 of a parsed table, the same whatever file format the table was read from."""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl

__all__ = ["fingerprint"]


def fingerprint(frame: pl.DataFrame) -> str:
    """Return the SHA-256 (hexadecimal) of names, kinds of storage and values of a parsed table.

    Each column contributes its name, its storage (number, boolean, date, string), the mask of its missing
    values, and its values as little-endian float64, bytes, int64 microseconds, or UTF-8 text with its
    lengths.

    Examples
    --------
    >>> a = pl.DataFrame({"x": [1.0, None], "y": ["a", "b"]})
    >>> fingerprint(a) == fingerprint(a.clone()), fingerprint(a) == fingerprint(a.reverse())
    (True, False)
    """
    digest = hashlib.sha256()
    digest.update(f"{frame.height}x{frame.width}".encode())
    for series in frame.get_columns():
        storage, content = _bytes(series)
        header = f"{len(series.name.encode())}:{series.name}:{storage};"
        digest.update(header.encode())
        digest.update(np.packbits(series.is_null().to_numpy()).tobytes())
        for part in content:
            digest.update(part)
    return digest.hexdigest()


def _bytes(series: pl.Series) -> tuple[str, tuple[bytes, ...]]:
    if series.dtype == pl.Boolean:
        return "boolean", (np.packbits(series.fill_null(False).to_numpy()).tobytes(),)
    if series.dtype.is_temporal():
        micros = series.cast(pl.Datetime("us")).dt.epoch("us").fill_null(0).to_numpy()
        return "date", (micros.astype("<i8").tobytes(),)
    if series.dtype.is_numeric():
        values = series.cast(pl.Float64).fill_null(0.0).to_numpy() + 0.0  # -0.0 and 0.0 are one number
        return "number", (values.astype("<f8").tobytes(),)
    text = series.cast(pl.String).fill_null("")
    lengths = text.str.len_bytes().to_numpy().astype("<i8")
    return "string", (lengths.tobytes(), "".join(text.to_list()).encode())
