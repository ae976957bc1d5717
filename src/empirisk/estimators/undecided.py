"""The error of rows that do not decide a law yet: a stream keeps their sums and waits for more."""

from __future__ import annotations

__all__ = ["UndecidedError"]


class UndecidedError(ValueError):
    """Sums of rows from which no law follows; further rows of a stream may mend that.

    Examples
    --------
    >>> raise UndecidedError("one row has no variance; add rows")
    Traceback (most recent call last):
    ...
    empirisk.estimators.undecided.UndecidedError: one row has no variance; add rows
    """
