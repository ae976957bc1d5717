"""Text that spreadsheets would run as a formula, written so that they do not."""

from __future__ import annotations

import re

import polars as pl

__all__ = ["escape", "escape_frame", "unescape"]

# What a spreadsheet takes for a formula, but for numbers and for signs that stand alone.
_STARTS = re.compile(r"^'*[=+\-@\t\r]")
_HARMLESS = re.compile(r"^[+-]+$|^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")


def escape(text: str) -> str:
    """Put an apostrophe before a text that begins like a formula; :func:`unescape` takes it off again.

    Examples
    --------
    >>> escape("=1+1"), escape("'=1+1"), escape("-5"), escape("+"), escape("'s Gravenhage")
    ("'=1+1", "''=1+1", '-5', '+', "'s Gravenhage")
    """
    return f"'{text}" if _STARTS.match(text) and not _HARMLESS.match(text) else text


def unescape(text: str) -> str:
    """Return what :func:`escape` was given.

    Examples
    --------
    >>> unescape("'=1+1"), unescape("-5"), unescape("'s Gravenhage")
    ('=1+1', '-5', "'s Gravenhage")
    """
    return text[1:] if text.startswith("'") and _STARTS.match(text) else text


def escape_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Escape the names of the columns and every text in them."""
    columns = [
        pl.Series(s.name, [None if v is None else escape(v) for v in s.to_list()], dtype=pl.String)
        if s.dtype == pl.String
        else s
        for s in frame.get_columns()
    ]
    return pl.DataFrame([s.alias(escape(s.name)) for s in columns])
