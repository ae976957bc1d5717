"""Marks of training rows: short hashes by which a model file knows the rows again that it was trained on.

A mark is 8 bytes of BLAKE2b, keyed with the fingerprint of the data, over the features and the target of
a row. Of at most :data:`MOST` rows all marks are kept, of more a sample that the hash itself draws, so that
another file is compared like for like. No value can be read off a mark; who holds the model file and guesses
a whole row can check the guess.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from empirisk.report.read.table import Table
from empirisk.wording import share as whole_percent

__all__ = ["MOST", "Known", "known_rows", "mark_rows"]

MOST = 4096  # marks in a file: 32 KiB
_SIZE = 8  # bytes of a mark: two rows share one by chance once in 2^64
Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Known:
    """How many rows of a file are rows that a model was trained on, or equal to one.

    Parameters
    ----------
    rows : int
        Rows of the file that were looked at (all, or those that the hash draws).
    known : int
        Those among them that carry a mark.
    total : int
        Rows of the file.
    repeated : bool
        Whether most training rows equal another one, so that new rows equal them by chance.
    """

    rows: int
    known: int
    total: int
    repeated: bool

    @property
    def share(self) -> float:
        """Share of the rows that are known."""
        return self.known / self.rows if self.rows else 0.0

    def sentence(self) -> str:
        """Return what follows for scores on the file; "" when no row is known."""
        if not self.known:
            return ""
        if self.rows == self.total:
            count = f"{self.known:,} of the {self.total:,} rows ({whole_percent(self.share)})"
        else:
            seen = f"{self.known:,} of {self.rows:,} looked at"
            count = f"about {whole_percent(self.share)} of the {self.total:,} rows ({seen})"
        said = f"{count} trained this model, or equal a row that did"
        if self.repeated:
            return f"{said}; few different rows are possible, so new rows equal training rows by chance."
        return f"{said}: the scores on them are no evidence about new rows."


def mark_rows(table: Table, rows: NDArray[Any]) -> dict[str, Any]:
    """Return the marks of training rows as plain JSON values.

    Parameters
    ----------
    table : Table
        The data of the report; its fingerprint is the key.
    rows : int array
        The training rows.
    """
    columns = [*table.features, *table.names("target")]
    words = _words(table.frame[np.asarray(rows, dtype=np.int64)], columns, table.fingerprint)
    quick = _mixed(words)
    n = len(quick)
    limit = (1 << 64) - 1 if n <= MOST else int(MOST / n * 2.0**64)
    kept = quick <= np.uint64(limit)
    marks = sorted(set(_marks(words[kept], table.fingerprint)))
    return {
        "columns": columns,
        "key": table.fingerprint,
        "limit": f"{limit:016x}",
        "rows": n,
        "kept": int(kept.sum()),
        "marks": base64.b64encode(b"".join(marks)).decode(),
    }


def known_rows(table: Table, stored: Mapping[str, Any]) -> Known:
    """Compare the rows of a file, read under the decisions of the model, with the stored marks."""
    columns = [str(c) for c in stored["columns"]]
    packed = base64.b64decode(stored["marks"])
    marks = {packed[i : i + _SIZE] for i in range(0, len(packed), _SIZE)}
    repeated = 2 * len(marks) < int(stored["kept"])
    if any(c not in table.frame.columns for c in columns):
        return Known(0, 0, table.n_rows, repeated)
    words = _words(table.frame, columns, str(stored["key"]))
    drawn = words[_mixed(words) <= np.uint64(int(stored["limit"], 16))]
    known = sum(mark in marks for mark in _marks(drawn, str(stored["key"])))
    return Known(len(drawn), known, table.n_rows, repeated)


def _marks(words: Words, key: str) -> list[bytes]:
    salt = key.encode()[:64]
    return [
        hashlib.blake2b(row.tobytes(), digest_size=_SIZE, key=salt).digest() for row in words.astype("<u8")
    ]


def _words(frame: pl.DataFrame, columns: Sequence[str], key: str) -> Words:
    """Return one 64-bit word for each cell; the same for every format, and from one version to the next."""
    out = np.zeros((frame.height, len(columns)), dtype=np.uint64)
    for j, name in enumerate(columns):
        series = frame[name]
        if series.dtype.is_temporal():
            stamps = series.cast(pl.Datetime("us")).dt.epoch("us").fill_null(0).to_numpy()
            word = np.ascontiguousarray(stamps, dtype=np.int64).view(np.uint64)
        elif series.dtype == pl.Boolean or series.dtype.is_numeric():
            cells = series.cast(pl.Float64).fill_null(0.0).to_numpy() + 0.0  # -0.0 and 0.0 are one number
            word = np.ascontiguousarray(cells, dtype=np.float64).view(np.uint64)
        else:
            levels, codes = np.unique(
                series.cast(pl.String).fill_null("").to_numpy().astype(str), return_inverse=True
            )
            word = np.array([_text(level, key) for level in levels], dtype=np.uint64)[codes]
        out[:, j] = np.where(series.is_null().to_numpy(), np.uint64(0x9E3779B97F4A7C15), word)
    return out


def _text(level: str, key: str) -> int:
    return int.from_bytes(
        hashlib.blake2b(level.encode(), digest_size=_SIZE, key=key.encode()[:64]).digest(), "little"
    )


def _mixed(words: Words) -> Words:
    """Return a quick hash of each row, which draws the rows whose marks are kept (the finaliser of
    splitmix64).
    """
    state = np.full(words.shape[0], 0x243F6A8885A308D3, dtype=np.uint64)
    for j in range(words.shape[1]):
        step = (j + 1) * 0x9E3779B97F4A7C15 % (1 << 64)
        state = state ^ (words[:, j] + np.array([step], dtype=np.uint64))
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state = state ^ (state >> np.uint64(31))
    return state
