"""The columns of whatever table the user gave, one array each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_column", "columns_of", "n_columns"]


def n_columns(X: Any) -> int:
    """Return the number of columns of an array, a data frame or a list of rows."""
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) == 2:
        return int(shape[1])
    return int(np.asarray(X).reshape(len(X), -1).shape[1])


def columns_of(X: Any, which: Sequence[int] | None = None) -> Iterator[NDArray[Any]]:
    """Return the columns of an array, list, sparse matrix or frame (those in `which`, or all), one by one.

    Numbers, truth values and dates come as floats (NaN where missing), everything else as objects (None where
    missing).

    Examples
    --------
    >>> [c.dtype.kind for c in columns_of([[1, "a"], [2, None]])]
    ['f', 'O']
    >>> [c.dtype.kind for c in columns_of(np.array([[1, 2], [3, 4]]))]
    ['f', 'f']
    """
    wanted = range(n_columns(X)) if which is None else which
    if hasattr(X, "tocsc"):
        stored = X.tocsc()
        for j in wanted:
            yield np.asarray(stored[:, [j]].toarray()[:, 0], dtype=np.float64)
        return
    names = getattr(X, "columns", None)
    table = np.asarray(X, dtype=object if isinstance(X, list | tuple) else None) if names is None else X
    for j in wanted:
        if names is None:
            yield as_column(table.reshape(len(table), -1)[:, j])
        else:
            yield as_column((X.iloc[:, j] if hasattr(X, "iloc") else X[names[j]]).to_numpy())


def as_column(values: NDArray[Any]) -> NDArray[Any]:
    """Return floats where the values are numbers, truth values or dates, else objects."""
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    if values.dtype.kind in "mM":
        return np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(np.float64))
    listed = values.tolist()
    if all(type(v) is str for v in listed):  # the common case, without a look at each cell's truth
        return np.array(listed, dtype=object)
    out = np.array([None if _missing(v) else v for v in listed], dtype=object)
    known = [v for v in out.tolist() if v is not None]
    if known and all(isinstance(v, int | float) for v in known):
        return np.array([np.nan if v is None else float(v) for v in out.tolist()])
    return out


def _missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA has no truth value
        return True
