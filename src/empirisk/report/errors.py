"""The one error of the data side: a sentence that names the place and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["DataError", "column_name", "meant", "near_matches", "require_column"]


class DataError(ValueError):
    """The data cannot be used as asked; the message is one sentence for the user."""


def meant(word: str, words: Iterable[str]) -> str:
    """Return the end of a sentence about a word that is none of `words`: the nearest one, or nothing.

    Examples
    --------
    >>> meant("neighbours", ["kernel", "neighbors"]), meant("zzz", ["kernel"])
    (": did you mean 'neighbors'?", '')
    """
    near = difflib.get_close_matches(word.casefold(), list(words), n=1)
    return f": did you mean {near[0]!r}?" if near else ""


def near_matches(name: str, names: Iterable[str]) -> str:
    """Return a phrase that lists the names most like `name`.

    Examples
    --------
    >>> near_matches("incme", ["age", "income"])
    "did you mean 'income'?"
    >>> near_matches("zzz", ["age", "income"])
    "the columns are 'age', 'income'"
    """
    known = list(names)
    folded = {n.casefold(): n for n in known}
    close = [folded[m] for m in difflib.get_close_matches(name.casefold(), list(folded), n=3, cutoff=0.6)]
    if close:
        return "did you mean " + " or ".join(repr(n) for n in close) + "?"
    shown = ", ".join(repr(n) for n in known[:12])
    return f"the columns are {shown}" + (f" and {len(known) - 12} more" if len(known) > 12 else "")


def column_name(given: Any, option: str) -> str:
    """Return the name of one column as text: frames may have numbers for names.

    Examples
    --------
    >>> column_name(3, "target")
    '3'
    """
    if isinstance(given, str):
        return given
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return str(given)
    more = "; several targets are a list of such names" if option == "target" else ""
    raise DataError(f"{option} must be the name of one column, got {given!r}{more}")


def require_column(name: str, names: Iterable[str], *, option: str, file: str) -> None:
    """Raise DataError when `name` is not one of `names`."""
    known = list(names)
    if name not in known:
        raise DataError(f"{file} has no column {name!r} (given by {option}): {near_matches(name, known)}")
