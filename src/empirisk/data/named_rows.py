"""What stands beside rows, one value each, and is given as the name of a column by mistake."""

from __future__ import annotations

from typing import Any

__all__ = ["refuse_name"]


def refuse_name(parameter: str, given: Any) -> None:
    """Refuse text in the place of one value for each row, and say how a column is handed over.

    Examples
    --------
    >>> refuse_name("groups", "clinic")
    Traceback (most recent call last):
        ...
    ValueError: groups is the text 'clinic': give the column itself, frame['clinic']
    """
    if isinstance(given, str):
        raise ValueError(f"{parameter} is the text {given!r}: give the column itself, frame[{given!r}]")
