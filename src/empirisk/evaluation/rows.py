"""Rows of whatever table the user gave."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from empirisk.data.sparse_cells import canonical


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """``X[rows]`` for arrays, lists, sparse matrices, pandas and polars tables, keeping the type."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    if isinstance(X, list | tuple):
        return [X[i] for i in rows]
    return X[rows]


def take_pairs(X: Any, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Any:
    """``X[rows][:, columns]`` of a matrix of pairs of rows, keeping the type."""
    part = take_rows(X, rows)
    if isinstance(part, list):
        part = np.asarray(part)
    return part.iloc[:, columns] if hasattr(part, "iloc") else part[:, columns]


def numbered(error: Exception, rows: NDArray[np.intp]) -> str:
    """Return which row of the sample an error means by the number of a row of a fit; "" where it names none.

    Examples
    --------
    >>> numbered(ValueError("X is missing in row 1"), np.array([3, 7]))
    ' Row 1 of these is row 7 of the sample.'
    """
    said = re.search(r"\brow (\d+)\b", str(error))
    at = int(said[1]) if said else rows.size
    return f" Row {at} of these is row {int(rows[at])} of the sample." if at < rows.size else ""


def table_and_target(owner: str, X: Any, y: Any) -> tuple[Any, Any]:
    """X as something with rows, y with one dimension; `owner` is who wants them (for the error).

    Raises
    ------
    ValueError
        No y, or fewer than two rows.
    """
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    if not hasattr(X, "shape") and not isinstance(X, list | tuple):
        X = np.asarray(X)
    X = canonical(X)
    if not hasattr(y, "shape"):
        y = np.asarray(y)
    if len(getattr(y, "shape", ())) == 2 and y.shape[1] == 1:
        y = column_or_1d(y, warn=True)
    if getattr(getattr(y, "dtype", None), "kind", "") == "c":
        raise ValueError(f"Complex data not supported: y holds numbers of type {y.dtype}.")
    n = y.shape[0] if y.shape else 0
    if n < 2:
        raise ValueError(f"{owner} needs at least 2 rows to split, got n_samples = {n}.")
    return X, y
