"""Numbers as text: rounded to the digits that their interval justifies.

Estimates are the plain dictionaries of ``report.json`` (``empirisk.results.Estimate.to_dict``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

__all__ = [
    "a_thing",
    "amount",
    "beyond",
    "brief",
    "chance",
    "count",
    "counted",
    "difference",
    "estimate",
    "interval",
    "listed",
    "number",
    "p_value",
    "percent",
    "places",
    "plain",
    "power",
    "quoted",
    "share",
    "shorten",
    "signed",
    "singular",
    "spelled",
    "text",
    "year",
    "years",
]

_COUNT = re.compile(r"(?<![\w.,#-])\d{5,12}(?= [a-z])")  # a count before its noun, without thousands marks
_PROGRAM = re.compile(r"(?<![\w.#-])\d+(?:\.\d+)?e[+-]?\d+(?![\w-])")
_MOST = 9  # decimals that a reader is asked to read; where an interval needs more, it is cut
_EXACT = Context(prec=800, rounding=ROUND_HALF_UP)  # digits for every float with any decimals
_PLURAL = re.compile(r"leaves\b|(?<=ss)es\b|(?<=[a-rt-z])s\b")  # leaves, or the end of another plural
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def count(n: int) -> str:
    """Return a count with thousands separators, such as 12,345."""
    return f"{n:,}"


def counted(n: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun, in the singular for one.

    Examples
    --------
    >>> counted(1, "row"), counted(1599, "row"), counted(2, "class", "classes")
    ('1 row', '1,599 rows', '2 classes')
    """
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def singular(words: str) -> str:
    """Return a phrase with its first plural in the singular, as it stands after 1.

    Examples
    --------
    >>> singular("more columns"), singular("leaves"), singular("classes"), singular("numbers of its laws")
    ('more column', 'leaf', 'class', 'number of its laws')
    """
    return re.sub(
        r"leaves\b|(?<=ss)es\b|(?<=[a-rt-z])s\b", lambda m: "leaf" if len(m[0]) > 2 else "", words, count=1
    )


def a_thing(noun: str) -> str:
    """Return a noun with its article, by the sound of its first letter.

    Examples
    --------
    >>> a_thing("ndarray"), a_thing("list"), a_thing("int")
    ('an ndarray', 'a list', 'an int')
    """
    return f"{'an' if noun[:1].lower() in 'aeio' or noun.startswith('nd') else 'a'} {noun}"


def power(exponent: int) -> str:
    """``10⁻⁴`` in plain characters (no markup needed)."""
    return "10" + str(exponent).translate(_SUPERSCRIPT)


def _rounded(x: float, decimals: int) -> Decimal | float:
    """Return a number rounded to so many decimals (may be negative), a half away from zero.

    Readers round so.  A half is one of the number as its 15 digits write it: a share and the same in per cent
    (0.925 and 92.5), whose last bits may differ, get the same digits.
    """
    if not math.isfinite(x):
        return x
    return Decimal(f"{x:.15g}").quantize(Decimal(1).scaleb(-decimals), context=_EXACT)


def _fixed(x: float, decimals: int) -> str:
    rounded = _rounded(x, decimals)
    said = f"{rounded:,.{max(0, decimals)}f}".removeprefix("-")
    return f"−{said}" if rounded < 0 else said


def plain(x: float | None, digits: int = 4) -> str:
    """Return a number that has no interval (a setting, an edge), to `digits` significant figures.

    Examples
    --------
    >>> plain(0.00018), plain(12285.0), plain(-0.5), plain(3.2e-9)
    ('0.00018', '12,285', '−0.5', '3.2 × 10⁻⁹')
    """
    if x is None:
        return "none"
    if not math.isfinite(x):
        return "undefined" if math.isnan(x) else "infinite" if x > 0 else "minus infinite"
    if x == 0:
        return "0"
    exponent = math.floor(math.log10(abs(x)))
    if exponent < -4 or exponent > 14:
        mantissa = float(_rounded(x / 10.0**exponent, digits - 1))
        if abs(mantissa) >= 10:
            mantissa, exponent = mantissa / 10, exponent + 1
        return f"{_trim(_fixed(mantissa, digits - 1))} × {power(exponent)}"
    return _trim(_fixed(x, max(0, digits - 1 - exponent)))


def number(x: float, digits: int = 3) -> str:
    """Return a number of a sentence to `digits` significant figures, written out with thousands marks.

    From a billion on it is so many billions; below a millionth and from 10^15 on a multiple of a power of
    ten, because zeros would have to be counted.

    Examples
    --------
    >>> number(14412.0), number(0.000123456), number(-1999.6, 2), number(1.87e9), number(2e-9)
    ('14,400', '0.000123', '−2,000', '1.87 billion', '2 × 10⁻⁹')
    """
    if not math.isfinite(x):
        return "infinite" if x > 0 else "minus infinite" if x < 0 else "not a number"
    if x == 0:
        return "0"
    exponent = math.floor(math.log10(abs(x)))
    if exponent < -6 or exponent > 14:
        return plain(x, digits)
    if exponent >= 9:
        return f"{_trim(_fixed(x / 1e9, digits - 1 - exponent + 9))} billion"
    return _trim(_fixed(x, digits - 1 - exponent))


def beyond(x: float, limit: float) -> str:
    """Return a number above a limit with as many decimals as show that it is above.

    Examples
    --------
    >>> beyond(1.0101, 1.01), beyond(1.736, 1.01), beyond(2.3e16, 1.01)
    ('1.0101', '1.736', 'over 1,000')
    """
    if x > 1000.0:
        return "over 1,000"
    shown = (f"{x:.{digits}f}" for digits in range(3, 9))
    return next((said for said in shown if float(said) > limit), f"{x!r}")


def spelled(said: str) -> str:
    """Return a sentence of another layer with its numbers as readers write them.

    Examples
    --------
    >>> spelled("F(w) - min F <= 7.9e-05 (relative 4e-15 of the null model's 1.93e+10)")
    "F(w) - min F <= 0.000079 (relative 4 × 10⁻¹⁵ of the null model's 19.3 billion)"
    >>> spelled("the slope of the loss over 26049 rows")
    'the slope of the loss over 26,049 rows'
    """
    written = _PROGRAM.sub(lambda m: number(float(m[0])), said)
    return _COUNT.sub(lambda m: count(int(m[0])), written)


def year(x: float) -> str:
    """Return a whole number without thousands marks.

    Examples
    --------
    >>> year(1872.0)
    '1872'
    """
    return f"{x:.0f}"


def years(values: Iterable[float]) -> bool:
    """Return whether numbers look like years: whole, from 1500 to 2200.

    Examples
    --------
    >>> years([1872.0, 2010.0]), years([120.0, 1872.0]), years([1872.5])
    (True, False, False)
    """
    return all(1500.0 <= v <= 2200.0 and v == round(v) for v in values)


def percent(x: float) -> str:
    """Return a share of a sentence in per cent, with as many decimals as a reader can use.

    Examples
    --------
    >>> percent(0.1234), percent(0.0123), percent(-0.5), percent(0.996), percent(0.00001), percent(12.0)
    ('12 %', '1.2 %', '−50 %', '99.6 %', 'under 0.1 %', '1,200 %')
    """
    value = 100.0 * x
    if 0.0 < abs(value) < 0.05:
        return "under 0.1 %"
    decimals = 1 if abs(value) < 9.95 or 99.0 < abs(value) < 100.0 else 0
    if abs(value) < 100.0 <= _rounded(abs(value), decimals):
        return "over 99.9 %"
    said = _fixed(value, decimals)
    return f"{_trim(said) if value == round(value) else said} %"


def chance(p: float) -> str:
    """Return a probability of a sentence; small ones are said to be below a limit.

    Examples
    --------
    >>> chance(0.0321), chance(0.5), chance(3e-9), chance(1.0)
    ('0.032', '0.5', 'below 0.0001', '1')
    """
    return "below 0.0001" if p < 1e-4 else number(p, 2)


def p_value(p: float) -> str:
    """Return a p-value with its sign of relation.

    Examples
    --------
    >>> p_value(0.0321), p_value(0.0)
    ('p = 0.032', 'p < 0.0001')
    """
    return "p < 0.0001" if p < 1e-4 else f"p = {number(p, 2)}"


def quoted(names: Sequence[str], most: int = 5) -> str:
    """Return the names for a sentence.

    Examples
    --------
    >>> quoted(["a"]), quoted(["a", "b", "c"]), quoted(["a", "b", "c"], 1)
    ("'a'", "'a', 'b' and 'c'", "'a' and 2 more")
    """
    shown = [repr(n) for n in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return listed(shown)


def listed(parts: Sequence[str]) -> str:
    """Return the parts, of which there is at least one, as a list in a sentence: ``a``, ``a and b``, ``a, b
    and c``.
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _trim(said: str) -> str:
    return said.rstrip("0").rstrip(".") if "." in said else said


def share(x: float) -> str:
    """Return a share as a whole percentage, never rounded to a false 0 or 100."""
    percent = 100.0 * x
    if 0 < percent < 1:
        return "under 1 %"
    if 99 < percent < 100:
        return "over 99 %"
    return f"{_fixed(percent, 0)} %"


def _decimals(width: float) -> int:
    """Return the decimals whose last place is between an eightieth and an eighth of this width (may be
    negative).
    """
    return math.ceil(-math.log10(width / 8.0))


def places(e: dict[str, Any] | None) -> int | None:
    """Return the decimals that the interval of an estimate justifies; None where it has none.

    Examples
    --------
    >>> places({"value": 0.85239, "low": 0.8438, "high": 0.861})
    3
    """
    if e is None or e["low"] is None or e["high"] is None or e["high"] <= e["low"]:
        return None
    return _decimals(e["high"] - e["low"])


def _digits(values: Sequence[float], e: dict[str, Any], most: int | None = None, finer: int = 0) -> list[str]:
    """Format `values` together, with the digits that the interval of `e` justifies and so many `finer`, at
    most so many decimals.
    """
    decimals = places(e)
    if decimals is None:
        return [plain(v, 3) for v in values]
    decimals += finer
    if most is not None and most < decimals:
        return ["0" if v == 0.0 else _fixed(v, most) for v in values]
    return ["0" if v == 0.0 else said for v, said in zip(values, _written(values, e, decimals), strict=True)]


def _written(values: Sequence[float], e: dict[str, Any], decimals: int) -> list[str]:
    """Format `values` with these decimals, in billions or powers of ten where zeros would be counted."""
    width = e["high"] - e["low"]
    largest = max(abs(v) for v in (*values, e["low"], e["high"])) or width
    exponent = math.floor(math.log10(largest))
    if 9 <= exponent <= 14 and decimals <= -3:
        return [f"{_fixed(v / 1e9, decimals + 9)} billion" for v in values]
    if decimals <= 6 or exponent >= -4:
        shown = decimals if decimals <= _MOST else max(6, 5 - exponent)
        return [_fixed(v, shown) for v in values]
    return [f"{_fixed(v / 10.0**exponent, decimals + exponent)} × {power(exponent)}" for v in values]


def _ends(e: dict[str, Any], most: int | None = None, finer: int = 0) -> list[str]:
    return _digits([e["low"], e["high"]], e, most, finer)


def _nearly_one(e: dict[str, Any]) -> bool:
    """Return whether value and interval lie so close below one that their digits would round to one."""
    ends = (e["low"], e["value"], e["high"])
    if None in ends or not e["high"] - e["low"] > 0.0 or _decimals(e["high"] - e["low"]) <= _MOST:
        return False
    return all(v < 1.0 and round(v, 6) == 1.0 for v in ends)


def _narrow(e: dict[str, Any]) -> bool:
    """Return whether both ends of an interval have the same digits, so that it says no more than the
    value.
    """
    low, high = _ends(e)
    return low == high and e["low"] < e["high"]


def text(e: dict[str, Any] | None, most: int | None = None, finer: int = 0) -> str:
    """Return the point estimate alone, with at most so many decimals, or so many `finer` than is usual.

    Examples
    --------
    >>> text({"value": 0.85239, "low": 0.8438, "high": 0.861})
    '0.852'
    >>> text({"value": 1.0 - 2e-12, "low": 1.0 - 3e-12, "high": 1.0 - 1e-12})
    'at least 0.9999'
    """
    if e is None:
        return "–"
    if e["value"] is None:
        return "cannot tell"
    if _nearly_one(e):
        return "at least 0.9999"
    return _digits([e["value"]], e, most, finer)[0]


def interval(e: dict[str, Any] | None, most: int | None = None, finer: int = 0) -> str:
    """Return the interval alone, ``[0.844, 0.861]``; empty when there is none, or none that its digits can
    show.  It may be so many digits `finer` than is usual.
    """
    if e is None or e["low"] is None or e["high"] is None or _narrow(e):
        return ""
    return "[{}, {}]".format(*_ends(e, most, finer))


def estimate(e: dict[str, Any] | None) -> str:
    """Return the value and interval.

    Examples
    --------
    >>> estimate({"value": 0.85239, "low": 0.8438, "high": 0.861})
    '0.852 [0.844, 0.861]'
    >>> estimate({"value": 51234.0, "low": 48011.0, "high": 54990.0})
    '51,200 [48,000, 55,000]'
    """
    if e is None:
        return "–"
    return f"{text(e)} {_interval_or_reason(e)}".rstrip()


def _interval_or_reason(e: dict[str, Any]) -> str:
    told = e["low"] is not None and e["high"] is not None
    return interval(e) if told else f"({e.get('reason', 'no interval')})"


def amount(e: dict[str, Any]) -> str:
    """Return the point estimate for a sentence: the digits that its interval justifies, three at most.

    Examples
    --------
    >>> amount({"value": 14412.3, "low": 12900.0, "high": 17000.0})
    '14,400'
    >>> amount({"value": 0.0502, "low": None, "high": None})
    '0.0502'
    """
    value = float(e["value"])
    if e["low"] is None or e["high"] is None or value == 0.0:
        return number(value)
    digits = (
        math.floor(math.log10(abs(value))) + 1 + _decimals(e["high"] - e["low"])
        if e["high"] > e["low"]
        else 3
    )
    return number(value, min(3, max(1, digits)))


def brief(e: dict[str, Any] | None, *, sign: bool = False, most: int | None = None) -> str:
    """Return the value and interval for a place that cannot hold the reason why there is no interval, with
    at most so many decimals.

    Examples
    --------
    >>> brief({"value": 0.2974, "low": None, "high": None, "reason": "The penalty chose the terms."})
    '0.297'
    """
    said = signed(e, most) if sign else text(e, most)
    return f"{said} {interval(e, most)}".rstrip()


def signed(e: dict[str, Any] | None, most: int | None = None) -> str:
    """Return the point estimate of a difference, with its sign."""
    said = text(e, most)
    positive = e is not None and e["value"] is not None and e["value"] > 0
    return f"+{said}" if positive and any(c in "123456789" for c in said) else said


def difference(e: dict[str, Any] | None) -> str:
    """Return a difference with its sign and interval."""
    if e is None:
        return "–"
    return f"{signed(e)} {_interval_or_reason(e)}".rstrip()


def shorten(name: str, most: int = 40) -> str:
    """Return a name cut in its middle to `most` characters, on one line, without control characters."""
    name = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    if len(name) <= most:
        return name
    left = (most - 1) * 2 // 3
    return f"{name[:left]}…{name[len(name) - (most - 1 - left) :]}"
