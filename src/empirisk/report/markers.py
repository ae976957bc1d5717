"""Missing-value markers: words that stand for "no value" in a text file."""

from __future__ import annotations

import polars as pl

__all__ = ["MARKERS", "take_out_markers"]

_WORDS = "? na n/a n.a. <na> #n/a #na null (null) none nil nan -nan nat missing \\n - -- --- . .."
_ERRORS = "#null! #value! #div/0! #ref! #num! #name?"
# In lower case; the empty string is a blank field.
MARKERS: frozenset[str] = frozenset({"", *_WORDS.split(" "), *_ERRORS.split(" ")})
_SIGNS = frozenset(["-", "--", "---"])


def take_out_markers(
    values: pl.Series, markers: frozenset[str] | None = None
) -> tuple[pl.Series, tuple[tuple[str, int], ...]]:
    """Replace missing-value markers by nulls and return them with their counts.

    Parameters
    ----------
    values : polars.Series of strings, stripped
    markers : frozenset of str, default=MARKERS
        In lower case. A minus sign is not taken for missing in a column that also holds a plus sign
        (classes are often written + and -).

    Examples
    --------
    >>> series, found = take_out_markers(pl.Series("a", ["1", "?", "NA", "?"]))
    >>> series.to_list(), found
    (['1', None, None, None], (('?', 2), ('NA', 1)))
    """
    chosen = MARKERS if markers is None else markers
    low = values.str.to_lowercase()
    if markers is None and low.is_in(["+", "++"]).any():
        chosen = chosen - _SIGNS
    hit = low.is_in(list(chosen)).fill_null(False)
    if not hit.any():
        return values, ()
    found = (
        values.filter(hit).alias("value").value_counts().sort(["count", "value"], descending=[True, False])
    )
    kept = pl.select(pl.when(hit).then(None).otherwise(values)).to_series().alias(values.name)
    return kept, tuple((str(v), int(c)) for v, c in found.iter_rows())
