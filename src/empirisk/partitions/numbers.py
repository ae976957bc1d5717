"""The numbers of clusters that a choice tries, as they were asked for."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np

from empirisk.partitions.rows import Rows

__all__ = ["tried_numbers"]

MOST = 10  # the largest number that is tried by default
LEAST_ROWS = 10


def tried_numbers(ks: Any, rows: Rows) -> tuple[tuple[int, ...], bool]:
    """Return the numbers to try, 1 first, and whether 1 was among those given.

    Parameters
    ----------
    ks : iterable of int or None
        What was asked for; None is 1 to 10.
    rows : Rows
        At least 10, with as many different ones as the largest number.

    Examples
    --------
    >>> from empirisk.partitions.rows import read_rows
    >>> tried_numbers([4, 2], read_rows(np.arange(12.0)[:, None]))
    ((1, 2, 4), False)
    """
    if rows.n < LEAST_ROWS:
        raise ValueError(f"X has {rows.n} row{'s' * (rows.n != 1)}; choose_k needs at least {LEAST_ROWS}")
    if ks is None:
        wanted: list[Any] = list(range(1, MOST + 1))
        return tuple(wanted[: max(2, _distinct(rows, MOST))]), True
    if not isinstance(ks, Iterable) or isinstance(ks, str | bytes):
        raise ValueError(f"ks must hold several numbers of clusters, such as range(1, 9), got {ks!r}")
    wanted = list(ks)
    if not wanted:
        raise ValueError("ks is empty; give numbers of clusters to try, such as range(1, 9)")
    for k in wanted:
        if isinstance(k, bool | np.bool_) or not isinstance(k, Integral) or k < 1:
            raise ValueError(f"ks must hold integers >= 1, got {k!r}")
    given = sorted({int(k) for k in wanted})
    if given == [1]:
        raise ValueError("ks holds 1 alone; give a number above 1 to compare it with")
    different = _distinct(rows, given[-1])
    if different < given[-1]:
        raise ValueError(
            f"ks holds {given[-1]} and X has {different} different row{'s' * (different != 1)}; give numbers "
            "of clusters up to that"
        )
    return tuple(sorted({1, *given})), 1 in given


def _distinct(rows: Rows, enough: int) -> int:
    """Return the number of different rows, counted no further than `enough`."""
    seen: set[bytes] = set()
    for at in rows.blocks():
        for row in rows.dense(at) + 0.0:  # -0 is 0
            seen.add(row.tobytes())
            if len(seen) >= enough:
                return len(seen)
    return len(seen)
