"""How far long work is: a callable of the user, or a counter on the error stream."""

from __future__ import annotations

import sys
from collections.abc import Callable

__all__ = ["Progress", "Steps", "teller"]

Steps = Callable[[int, int], None]
# What users may pass besides None.
Progress = Steps | bool


def teller(progress: Progress | None) -> Steps:
    """Return what to call with (done, all) after each step.

    Parameters
    ----------
    progress : callable, bool or None
        Called as it is; True counts on the error stream; False and None are silent.

    Raises
    ------
    TypeError
        For anything else.

    Examples
    --------
    >>> teller(print)(2, 5)
    2 5
    >>> teller(False)(2, 5)
    """
    if progress is None or progress is False:
        return _silent
    if progress is True:
        return _count
    if not callable(progress):
        raise TypeError(f"progress must be True, False, None or a callable of (done, all), got {progress!r}")
    return progress


def _silent(done: int, total: int) -> None:
    pass


def _count(done: int, total: int) -> None:
    end = "\n" if done >= total else ""
    print(f"\r{done:,} of {total:,}", end=end, file=sys.stderr, flush=True)
