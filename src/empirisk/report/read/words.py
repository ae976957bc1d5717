"""What a word is in a text of any language, and how its letters are spelled."""

from __future__ import annotations

from typing import Any

import polars as pl

__all__ = ["TOKEN", "spelled", "words_a_text"]

# Scripts without blanks between words, of which each character counts as a word: Thai, Lao, Khmer, kana, Han.
_SINGLE = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# Marks that belong to the letter before them and are no letters to a regular expression: accents, Indic
# vowels.
_MARKS = "\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0900-\u0dff"
# Two letters or digits at least, or one character of those scripts: a regular expression of Python.
TOKEN = rf"[{_SINGLE}]|(?:(?![{_SINGLE}])[\w{_MARKS}]){{2,}}"


def spelled(texts: Any) -> list[str]:
    """Return texts in lower case and in one spelling of each letter (Unicode's form NFKC), "" for a missing
    one.

    Examples
    --------
    >>> spelled(["Cafe\u0301", None]) == ["caf\u00e9", ""]
    True
    """
    column = pl.Series(texts, dtype=pl.String).fill_null("")
    return column.str.normalize("NFKC").str.to_lowercase().to_list()


def words_a_text(texts: pl.Series) -> float:
    """Return the mean number of words of the texts that are there, 0 where there is none.

    Examples
    --------
    >>> words_a_text(pl.Series(["fine and dry", "wet", None])), words_a_text(pl.Series(["A-1x", "B-2y"]))
    (2.0, 1.0)
    """
    some = texts.drop_nulls()
    found = some.str.count_matches(f"[{_SINGLE}]|[^{_SINGLE}\\s]+")
    # The stubs of polars allow a mean of dates, which counts have not.
    return float(found.mean() or 0.0) if len(some) else 0.0  # type: ignore[arg-type]
