"""Rows that are equal in every cell, numbered by their content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.diagnosis.columns import as_column, columns_of

__all__ = ["identical_rows"]


def identical_rows(X: Any, y: Any) -> NDArray[Any]:
    """Number the rows so that rows with equal cells and equal target share a number.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, p)
        Cells of any kind; missing values equal each other, ``0.0`` equals ``-0.0``.
    y : array of shape (n,)
        Targets.

    Returns
    -------
    int array of shape (n,)

    Notes
    -----
    Columns are numbered one by one and folded together, so that the cost is O(n p log n) and no hash can collide.

    Examples
    --------
    >>> identical_rows([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0]], [0, 0, 0]).tolist()
    [0, 0, 1]
    """
    codes = _numbered(as_column(np.asarray(y)))
    for column in _columns(X):
        codes = np.unique(codes * (int(column.max()) + 1) + column, return_inverse=True)[1]
        if len(codes) == 0 or int(codes.max()) == len(codes) - 1:
            break  # every row is alone already
    return np.asarray(codes)


def _columns(X: Any) -> Iterator[NDArray[Any]]:
    if hasattr(X, "tocsr"):
        yield _stored(X.tocsr())
    else:
        yield from (_numbered(column) for column in columns_of(X))


def _stored(X: Any) -> NDArray[Any]:
    """One number a row from its stored cells."""
    rows = X.copy()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    seen: dict[bytes, int] = {}
    out = np.empty(rows.shape[0], dtype=np.int64)
    for i in range(rows.shape[0]):
        part = slice(rows.indptr[i], rows.indptr[i + 1])
        key = rows.indices[part].tobytes() + rows.data[part].tobytes()
        out[i] = seen.setdefault(key, len(seen))
    return out


def _numbered(column: Any) -> NDArray[Any]:
    """Codes of the values, equal for equal values (missing ones equal each other)."""
    if column.dtype.kind == "f":
        return np.asarray(np.unique(column, return_inverse=True)[1])
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(v, len(seen)) for v in column.tolist()], dtype=np.int64)
