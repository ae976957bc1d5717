"""Columns that no density with a spread can describe: they are the same in all rows, or have no squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.row_blocks import RowBlocks
from empirisk.typing import Array

__all__ = ["column_ends", "refuse_large", "refuse_without_spread"]

# Squares of larger numbers, or of numbers below one over this, leave the range of float64.
LARGEST = 1e150
OVERFLOW = "holds numbers of size {:.3g}, whose squares overflow; rescale it"
STRETCH = 16_384  # rows that are looked at at once


def column_ends(data: RowBlocks) -> tuple[Array, Array, int]:
    """Return the smallest and the largest number of each column and of y, and the number of rows.

    Rows of weight 0 and missing cells (NaN) have no part in them.

    Parameters
    ----------
    data : RowBlocks

    Returns
    -------
    low, top : array, shape (p + 1,)
        The last is of the targets.
    n : int
        Rows of positive weight.
    """
    low, top = np.full(data.n_cols + 1, np.inf), np.full(data.n_cols + 1, -np.inf)
    n = 0
    for block in data:
        for a in range(0, len(block.weight), STRETCH):
            at = slice(a, a + STRETCH)
            live = np.asarray(block.weight[at]) > 0.0
            X, y = block.design.X[at][live], np.asarray(block.y[at])[live]
            low[:-1] = np.fmin(low[:-1], np.fmin.reduce(X, axis=0, initial=np.inf))
            top[:-1] = np.fmax(top[:-1], np.fmax.reduce(X, axis=0, initial=-np.inf))
            low[-1], top[-1] = min(low[-1], y.min(initial=np.inf)), max(top[-1], y.max(initial=-np.inf))
            n += int(live.sum())
    return low, top, n


def refuse_large(X: Array, names: Any, what: str = "") -> None:
    """Refuse columns whose squares overflow, by name.

    Parameters
    ----------
    X : array, shape (n, p)
        Rows; NaN is a missing cell.
    names : sequence of str or None
        Of the columns.
    what : str, default ""
        What a message calls a column; its number or name in X when left out.

    Examples
    --------
    >>> refuse_large(np.array([[1.0, 2e200]]), ["age", "size"])
    Traceback (most recent call last):
    ...
    ValueError: column 'size' of X holds numbers of size 2e+200, whose squares overflow; rescale it
    """
    top, low = np.fmax.reduce(X, axis=0, initial=0.0), np.fmin.reduce(X, axis=0, initial=0.0)
    size = np.fmax(top, -low).astype(np.float64)
    _refuse(size > LARGEST, OVERFLOW, size, names, what)


def refuse_without_spread(
    low: Array, top: Array, n: int, names: Any, *, together: bool = False, what: str = ""
) -> None:
    """Refuse columns that are the same in all rows, or whose squares leave the range of float64, by name.

    Parameters
    ----------
    low, top : array, shape (p,)
        Ends of the columns.
    n : int
        Rows.
    names : sequence of str or None
        Of the columns.
    together : bool, default False
        Whether one deviation serves all columns, so that some of them may be flat.
    what : str, default ""
        What a message calls a column; its number or name in X when left out.

    Examples
    --------
    >>> refuse_without_spread(np.array([1.0, 2.0]), np.array([1.0, 3.0]), 2, ["age", "size"])
    Traceback (most recent call last):
    ...
    ValueError: column 'age' of X is the same in all rows (n_samples = 2): drop it
    """
    size = np.fmax(np.abs(low), np.abs(top)).astype(np.float64)
    size[~np.isfinite(size)] = 0.0
    flat = (low == top) & (n > 1)
    _refuse(size > LARGEST, OVERFLOW, size, names, what)
    tiny = (size > 0.0) & (size < 1.0 / LARGEST)
    _refuse(tiny, "holds numbers of size {:.3g}, whose squares vanish; rescale it", size, names, what)
    advice = "" if what else ": drop it"
    words = f"is the same in all rows (n_samples = {n}){advice}"
    _refuse(flat & (flat.all() or not together), words, size, names, what)


def _refuse(bad: Any, words: str, size: Array, names: Any, what: str) -> None:
    """Refuse the first column that is marked, in these words."""
    if bad.any():
        column = int(np.flatnonzero(bad)[0])
        label = column if names is None else repr(str(names[column]))
        raise ValueError(f"{what or f'column {label} of X'} {words.format(float(size[column]))}")
