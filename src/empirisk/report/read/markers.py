"""Missing-value markers: words that stand for "no value" in a text file."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

__all__ = ["MARKERS", "as_number", "take_out_markers", "take_out_numbers"]

_WORDS = "? na n/a n.a. <na> #n/a #na null (null) none nil nan -nan nat missing \\n - -- --- . .."
_ERRORS = "#null! #value! #div/0! #ref! #num! #name?"
# In lower case; the empty string is a blank field.
MARKERS: frozenset[str] = frozenset({"", *_WORDS.split(" "), *_ERRORS.split(" ")})
_SIGNS = frozenset(["-", "--", "---"])


def take_out_markers(
    values: pl.Series, codes: Sequence[str] = ()
) -> tuple[pl.Series, tuple[tuple[str, int], ...]]:
    """Replace missing-value markers by nulls and return them with their counts.

    Parameters
    ----------
    values : polars.Series of strings, stripped
    codes : sequence of str
        More markers, given by the user. A minus sign is not taken for missing in a column that also holds a
        plus sign (classes are often written + and -).

    Examples
    --------
    >>> series, found = take_out_markers(pl.Series("a", ["1", "?", "NA", "?", "-200"]), ["-200"])
    >>> series.to_list(), found
    (['1', None, None, None, None], (('?', 2), ('-200', 1), ('NA', 1)))
    """
    chosen = MARKERS
    low = values.str.to_lowercase()
    if low.is_in(["+", "++"]).any():
        chosen = chosen - _SIGNS
    hit = low.is_in([*chosen, *(code.lower() for code in codes)]).fill_null(False)
    if not hit.any():
        return values, ()
    found = (
        values.filter(hit).alias("value").value_counts().sort(["count", "value"], descending=[True, False])
    )
    kept = pl.select(pl.when(hit).then(None).otherwise(values)).to_series().alias(values.name)
    return kept, tuple((str(v), int(c)) for v, c in found.iter_rows())


def take_out_numbers(
    values: pl.Series, codes: Sequence[str]
) -> tuple[pl.Series, tuple[tuple[str, int], ...]]:
    """Replace the numbers that the user calls missing by nulls, however they are written (-200.0 for -200).

    Examples
    --------
    >>> series, found = take_out_numbers(pl.Series([1.0, -200.0]), ["-200", "none"])
    >>> series.to_list(), found
    ([1.0, None], (('-200', 1),))
    """
    found = []
    for code in codes:
        value = as_number(code)
        if value is None:
            continue
        hit = (values == value).fill_null(False)
        if hit.any():
            values = pl.select(pl.when(~hit).then(values)).to_series().alias(values.name)
            found.append((code, int(hit.sum())))
    return values, tuple(found)


def as_number(code: str) -> float | None:
    """Return the number that a code is, None when it is a word."""
    try:
        return float(code)
    except ValueError:
        return None
