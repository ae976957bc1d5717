"""Numbers as people write them: decimal point or comma, groups of thousands, percent signs, currencies."""

from __future__ import annotations

import polars as pl

__all__ = ["decimal_evidence", "is_code", "parse_numbers", "take_off_unit"]

PLAIN = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
# Groups of three digits never start with 0: "0.123" is not a hundred and twenty-three.
GROUPED = r"^[+-]?[1-9]\d{0,2}((,\d{3})+|('\d{3})+|( \d{3})+)(\.\d*)?$"
CODE = r"^[+-]?0\d"
_UNITS = r"(%|‰|€|\$|£|¥|EUR|USD|GBP|CHF|NOK|SEK|DKK|kr)"
_PREFIX = rf"^([+-]?){_UNITS}\s*([0-9.,' ]+)$"
_SUFFIX = rf"^([+-]?[0-9.,' ]+?)\s*{_UNITS}$"


def _tidy(values: pl.Series) -> pl.Series:
    """Write every kind of blank as a blank and the typographic minus as a hyphen."""
    return values.str.replace_all("[\u00a0\u202f\u2009]", " ").str.replace_all("\u2212", "-", literal=True)


def parse_numbers(values: pl.Series, decimal: str = ".") -> pl.Series:
    """Parse numerals; what is none becomes null.

    Parameters
    ----------
    values : polars.Series of strings, stripped, nulls for missing
    decimal : {".", ","}

    Examples
    --------
    >>> parse_numbers(pl.Series(["1.234,5", "7", "x"]), ",").to_list()
    [1234.5, 7.0, None]
    >>> parse_numbers(pl.Series(["1,234.5", "1,23"])).to_list()
    [1234.5, None]
    """
    text = values
    if decimal == ",":
        text = text.str.replace_all(".", "\x01", literal=True).str.replace_all(",", ".", literal=True)
        text = text.str.replace_all("\x01", ",", literal=True)
    plain = text.str.contains(PLAIN)
    if plain.fill_null(True).all():
        return text.cast(pl.Float64, strict=False)
    text = _tidy(text)
    plain = text.str.contains(PLAIN)
    grouped = text.str.contains(GROUPED)
    frame = pl.DataFrame({"t": text, "p": plain, "g": grouped})
    bare = pl.col("t").str.replace_all("[,' ]", "")
    return frame.select(
        pl.when("p").then("t").when("g").then(bare).otherwise(None).cast(pl.Float64, strict=False)
    ).to_series()


def take_off_unit(values: pl.Series) -> tuple[pl.Series, str]:
    """Take a percent sign or a currency off, but only when every value carries the same one.

    Examples
    --------
    >>> stripped, unit = take_off_unit(pl.Series(["12 %", "7%"]))
    >>> stripped.to_list(), unit
    (['12', '7'], '%')
    """
    some = values.drop_nulls()
    if some.is_empty() or not _tidy(some.head(1)).str.contains(rf"{_PREFIX}|{_SUFFIX}").all():
        return values, ""
    tidy = _tidy(values)
    for pattern, sign, unit, number in ((_SUFFIX, None, 2, 1), (_PREFIX, 1, 2, 3)):
        units = tidy.str.extract(pattern, unit)
        if units.null_count() == values.null_count() and units.drop_nulls().n_unique() == 1:
            digits = tidy.str.extract(pattern, number).str.strip_chars()
            if sign is not None:
                digits = tidy.str.extract(pattern, sign) + digits
            return digits, str(units.drop_nulls()[0])
    return values, ""


def is_code(values: pl.Series) -> bool:
    """Whether numerals are codes, not amounts: a leading zero, or more digits than a float holds.

    Examples
    --------
    >>> is_code(pl.Series(["00123", "456"])), is_code(pl.Series(["0.5", "0"]))
    (True, False)
    """
    return bool(values.str.contains(CODE).any() or values.str.contains(r"^[+-]?\d{16,}$").any())


def decimal_evidence(values: pl.Series) -> tuple[int, int]:
    """Count the values that can only be read with a decimal point, and those only with a decimal comma.

    Examples
    --------
    >>> decimal_evidence(pl.Series(["1,5", "1.234,5", "1,234", "2.5"]))
    (1, 2)
    """
    point = values.str.contains(r"^[+-]?(\d*\.\d+|\d{1,3}(,\d{3})+\.\d+)$")
    comma = values.str.contains(r"^[+-]?(\d*,\d+|\d{1,3}(\.\d{3})+,\d+)$")
    both = values.str.contains(r"^[+-]?[1-9]\d{0,2}([.,]\d{3})$")
    return int((point & ~both).sum() or 0), int((comma & ~both).sum() or 0)


def label(value: float | None) -> str | None:
    """Write a number as a label: 3.0 as "3".

    Examples
    --------
    >>> label(3.0), label(2.5), label(None)
    ('3', '2.5', None)
    """
    if value is None:
        return None
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
