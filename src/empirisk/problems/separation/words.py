"""Lists of column names in a sentence."""

from __future__ import annotations

__all__ = ["listing"]


def listing(words: list[str], most: int = 6) -> str:
    """``a, b and c``; after `most` words the number of those left out.

    Examples
    --------
    >>> listing(["age", "dose", "sex"])
    'age, dose and sex'
    """
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more columns"]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
