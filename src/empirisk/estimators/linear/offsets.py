"""Offsets and exposures of rows, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.typing import Array

__all__ = ["check_offset"]


def check_offset(offset: Any, exposure: Any, n: int, rates: bool) -> Array | None:
    """``offset + log(exposure)`` of each row, or None without either; names the first bad row.

    Parameters
    ----------
    offset : array, shape (n,), or number, optional
        Finite.
    exposure : array, shape (n,), or number, optional
        Positive and finite; only where `rates`, because it multiplies a mean whose logarithm is the score.
    n : int
        Rows.
    rates : bool
        Whether the link turns a factor of the mean into a term of the score.

    Examples
    --------
    >>> check_offset(None, [1.0, 0.0], 2, True)
    Traceback (most recent call last):
        ...
    ValueError: exposure must be finite and > 0, got 0 in row 1; leave out rows without exposure
    """
    total: Array | None = None
    if offset is not None:
        total = _column("offset", offset, n)
        _refuse("offset must be finite", total, ~np.isfinite(total), "")
    if exposure is not None:
        if not rates:
            raise ValueError(
                "exposure needs a link in which a factor of the mean is a term of the score (log, cloglog); "
                "pass offset instead"
            )
        column = _column("exposure", exposure, n)
        bad = ~(np.isfinite(column) & (column > 0.0))
        _refuse("exposure must be finite and > 0", column, bad, "; leave out rows without exposure")
        total = np.log(column) if total is None else total + np.log(column)
    return total


def _column(name: str, given: Any, n: int) -> Array:
    try:
        column = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers, one for each row of X") from None
    if column.ndim == 0:
        return np.full(n, float(column))
    if column.shape != (n,):
        raise ValueError(f"{name} has shape {column.shape}, expected {(n,)}: one number for each row of X")
    return column


def _refuse(rule: str, column: Array, bad: Any, advice: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"{rule}, got {column[row]:g} in row {row}{advice}")
