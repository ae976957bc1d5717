"""Numbers as people write them: decimal point or comma, thousands, percent signs, currencies, brackets."""

from __future__ import annotations

import polars as pl

__all__ = [
    "as_words",
    "bracketed",
    "code_reason",
    "decimal_evidence",
    "label",
    "padded",
    "parse_numbers",
    "take_off_unit",
    "too_long",
]

PLAIN = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
# Groups of three digits never start with 0: "0.123" is not a hundred and twenty-three.
GROUPED = r"^[+-]?[1-9]\d{0,2}((,\d{3})+|('\d{3})+|( \d{3})+)(\.\d*)?$"
NUMERAL = r"^[+-]?[\d.,' ]*\d[\d.,' ]*([eE][+-]?\d+)?$"  # in either decimal notation
PADDED = r"^[+-]?0\d"
LONG = r"^[+-]?\d{16,}$"  # a float holds 15 digits of every whole number
_ODD = 0.1  # the share of values up to which a column is what the others are
_FEW_PADDED = 0.02  # digits drawn at random begin with 0 in one of ten
_UNITS = r"(%|‰|€|\$|£|¥|EUR|USD|GBP|CHF|NOK|SEK|DKK|kr)"
_PREFIX = rf"^([+-]?){_UNITS}\s*([0-9.,' ]+)$"
_SUFFIX = rf"^([+-]?[0-9.,' ]+?)\s*{_UNITS}$"
_BRACKETS = (
    (rf"^\(\s*((?:{_UNITS}\s*)?[0-9.,][0-9.,' ]*?(?:\s*{_UNITS})?)\s*\)$", "-${1}"),
    (rf"^{_UNITS}\s*\(\s*([0-9.,][0-9.,' ]*?)\s*\)$", "-${1}${2}"),
    (rf"^\(\s*([0-9.,][0-9.,' ]*?)\s*\)\s*{_UNITS}$", "-${1} ${2}"),
)


def _tidy(values: pl.Series) -> pl.Series:
    """Write every kind of blank as a blank, the typographic minus as a hyphen, and amounts in brackets with a
    minus."""
    text = values.str.replace_all("[\u00a0\u202f\u2009]", " ").str.replace_all("\u2212", "-", literal=True)
    for pattern, plain in _BRACKETS:
        text = text.str.replace(pattern, plain)
    return text


def bracketed(values: pl.Series) -> pl.Series:
    """Return whether values are amounts in brackets, which is how ledgers write what is negative.

    Examples
    --------
    >>> bracketed(pl.Series(["(1,234.00)", "($5)", "(n/a)", "7"])).to_list()
    [True, True, False, False]
    """
    return pl.select(pl.any_horizontal(*(pl.lit(values.str.contains(p)) for p, _ in _BRACKETS))).to_series()


def parse_numbers(values: pl.Series, decimal: str = ".") -> pl.Series:
    """Parse numerals; what is none, or is beyond the largest float (1e400), becomes null.

    Parameters
    ----------
    values : polars.Series of strings, stripped, nulls for missing
    decimal : {".", ","}

    Examples
    --------
    >>> parse_numbers(pl.Series(["1.234,5", "7", "x"]), ",").to_list()
    [1234.5, 7.0, None]
    >>> parse_numbers(pl.Series(["1,234.5", "1,23", "(2.50)"])).to_list()
    [1234.5, None, -2.5]
    """
    text = values
    if decimal == ",":
        text = text.str.replace_all(".", "\x01", literal=True).str.replace_all(",", ".", literal=True)
        text = text.str.replace_all("\x01", ",", literal=True)
    plain = text.str.contains(PLAIN)
    if plain.fill_null(True).all():
        return _finite(text.cast(pl.Float64, strict=False))
    text = _tidy(text)
    plain = text.str.contains(PLAIN)
    grouped = text.str.contains(GROUPED)
    frame = pl.DataFrame({"t": text, "p": plain, "g": grouped})
    bare = pl.col("t").str.replace_all("[,' ]", "")
    return _finite(
        frame.select(
            pl.when("p").then("t").when("g").then(bare).otherwise(None).cast(pl.Float64, strict=False)
        ).to_series()
    )


def _finite(values: pl.Series) -> pl.Series:
    """Return the numbers without those that overflowed to infinity."""
    finite = values.is_finite()
    if finite.fill_null(True).all():
        return values
    return pl.select(pl.when(finite).then(values)).to_series().alias(values.name)


def take_off_unit(values: pl.Series, unit: str = "") -> tuple[pl.Series, str]:
    """Take a percent sign or a currency off where at least nine values in ten carry the same one.

    Parameters
    ----------
    values : polars.Series of strings
    unit : str
        The unit to take off wherever it stands; "" to find it.

    Returns
    -------
    (polars.Series, str)
        The values without that unit (those with another one, or none, as they were), and the unit.

    Examples
    --------
    >>> stripped, unit = take_off_unit(pl.Series(["12 %", "7%"]))
    >>> stripped.to_list(), unit
    (['12', '7'], '%')
    """
    some = values.drop_nulls()
    either = rf"{_PREFIX}|{_SUFFIX}"
    if some.is_empty() or not (
        unit or 2 * int(_tidy(some.head(50)).str.contains(either).sum()) >= min(len(some), 50)
    ):
        return values, ""
    tidy = _tidy(values)
    for pattern, sign, at, number in ((_SUFFIX, None, 2, 1), (_PREFIX, 1, 2, 3)):
        units = tidy.str.extract(pattern, at)
        counts = (
            units.drop_nulls().alias("unit").value_counts().sort(["count", "unit"], descending=[True, False])
        )
        if counts.is_empty():
            continue
        found, n = counts.row(0)
        if (found != unit) if unit else (n < (1.0 - _ODD) * len(some)):
            continue
        digits = tidy.str.extract(pattern, number).str.strip_chars()
        if sign is not None:
            digits = tidy.str.extract(pattern, sign) + digits
        return pl.select(pl.when(units == found).then(digits).otherwise(values)).to_series().alias(
            values.name
        ), found
    return values, ""


def padded(values: pl.Series) -> pl.Series:
    """Return whether numerals are written with leading zeros."""
    return values.str.contains(PADDED)


def too_long(values: pl.Series) -> pl.Series:
    """Return whether numerals are whole numbers of more digits than a float holds."""
    return values.str.contains(LONG)


def code_reason(values: pl.Series) -> str:
    """Say why numerals are codes and not amounts; "" when they are amounts.

    They are codes when more than one in ten has more than 15 digits, or when all are digits of one width,
    some with leading zeros (at least 2 %; fewer are odd cells of a column of numbers).

    Parameters
    ----------
    values : polars.Series of strings without nulls

    Examples
    --------
    >>> code_reason(pl.Series(["01067", "80331"]))
    'digits of one width with leading zeros are codes'
    >>> code_reason(pl.Series(["007", "12.5", "3"])), code_reason(pl.Series(["012.50", "003.75"]))
    ('', '')
    """
    if int(too_long(values).sum()) > _ODD * len(values):
        return "whole numbers of more than 15 digits are codes"
    if not padded(values).any():
        return ""
    digits = values.str.contains(r"^\d+$")
    codes, others = values.filter(digits), values.filter(~digits)
    if len(others) > _ODD * len(values) or others.str.contains(NUMERAL).any():
        return ""
    if codes.str.len_chars().n_unique() > 1 or int(padded(codes).sum()) < _FEW_PADDED * len(values):
        return ""
    return "digits of one width with leading zeros are codes"


def decimal_evidence(values: pl.Series) -> tuple[int, int]:
    """Count the values that can only be read with a decimal point, and those only with a decimal comma.

    Examples
    --------
    >>> decimal_evidence(pl.Series(["1,5", "1.234,5", "1,234", "2.5"]))
    (1, 2)
    """
    values = values.str.replace(r"^\((.*)\)$", "-${1}")
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


def as_words(values: pl.Series) -> pl.Series:
    """Return numbers as labels, so that 3.0 becomes "3"."""
    return pl.Series(values.name, [label(v) for v in values.to_list()], dtype=pl.String)
