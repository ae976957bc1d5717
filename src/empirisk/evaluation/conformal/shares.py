"""A uniform number of each row, by a hash of its content: as good as drawn, and the same in any company."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from empirisk.estimators.folds import uniform_of_rows
from empirisk.typing import Array

__all__ = ["row_shares"]


def row_shares(X: Any, seed: int) -> Array:
    """Return a number in [0, 1) for each row of any table; a copy of a row has the same.

    Parameters
    ----------
    X : array, sparse matrix, data frame or list, shape (m, ...)
        Numbers, text and anything that has a text.
    seed : int
        Another one gives other numbers.

    Examples
    --------
    >>> told = row_shares([["a", 1.0], ["b", 1.0], ["a", 1.0]], 0)
    >>> bool(told[0] == told[2] != told[1])
    True
    """
    if hasattr(X, "tocsr"):
        return uniform_of_rows(X.tocsr().astype(np.float64), seed)
    if hasattr(X, "columns"):
        columns = [np.asarray(X[name]) for name in X.columns]
    else:
        table = np.asarray(X)
        table = table.reshape(len(table), -1)
        if table.dtype.kind in "biuf":
            return uniform_of_rows(np.ascontiguousarray(table, dtype=np.float64), seed)
        columns = list(table.T)
    numbers = [
        c.astype(np.float64) if c.dtype.kind in "biuf" else np.array([zlib.crc32(str(v).encode()) for v in c])
        for c in columns
    ]
    return uniform_of_rows(np.column_stack(numbers).astype(np.float64), seed)
