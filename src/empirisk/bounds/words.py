"""Numbers and sentences as a guarantee prints them."""

from __future__ import annotations

import math
import re
import textwrap

__all__ = ["confidence", "one_row", "up", "wrapped"]


def wrapped(text: str) -> str:
    """Return the text indented by two, in lines of at most 80 characters."""
    return textwrap.fill(text, 80, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def confidence(delta: float) -> str:
    """``1 - delta`` in words: "95 %", or "1 - 0.001234" when per cent would need many digits."""
    short = f"{100.0 * (1.0 - delta):.6g}"
    exact = short != "100" and abs(float(short) / 100.0 - (1.0 - delta)) < 1e-14
    return f"{short} %" if exact else f"1 - {up(delta)}"


def one_row(text: str) -> str:
    """Return the text with "1 row" for "1 rows"."""
    return re.sub(r"(?<![\d.,])1 rows\b", "1 row", text)


def up(value: float) -> str:
    """Return four significant digits, rounded up: what is printed must still be true."""
    text = f"{value:.4g}"
    # Rounded down by more than rounding of the value itself (1e-9): add half a unit of the fourth digit.
    if math.isfinite(value) and float(text) < value * (1.0 - 1e-9):
        text = f"{value + 10.0 ** (math.floor(math.log10(value)) - 3) / 2.0:.4g}"
    return text
