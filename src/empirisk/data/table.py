"""A table of rows as functions read it that are no estimators: numbers alone, all finite, row after row."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.data.finite import check_finite
from empirisk.data.memory import refuse_memory
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.sparse_cells import canonical, is_sparse
from empirisk.typing import Array

__all__ = ["read_dense", "read_table"]


def read_table(X: Any, *, least: int = 1) -> Any:
    """Return rows as a C-ordered array of float32 or float64, or as canonical CSR, with the refusals of fits.

    Parameters
    ----------
    X : array, data frame, list of rows or sparse matrix, shape (n, p)
        float32 stays float32, other numbers become float64.
    least : int, default 1
        How many rows are needed.

    Raises
    ------
    ValueError
        NaN or infinity by column and row, text and dates by column, too few rows, another number of
        dimensions than two.

    Examples
    --------
    >>> read_table([[0, 1], [2, 3]])
    array([[0., 1.],
           [2., 3.]])
    """
    # Loaded when it is called: the package, and graphs that are given as matrices, do without it.
    from sklearn.utils import check_array

    if isinstance(X, Design):
        X = X.X
    names = getattr(X, "columns", None)
    with numbers_only(X):
        table: Any = check_array(
            canonical(X) if is_sparse(X) else X,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=least,
            input_name="X",
        )
    check_finite(Design(table), None if names is None else list(names))
    return table


def read_dense(X: Any) -> Array:
    """Return rows as float64 numbers side by side, sparse ones made dense, with the refusals of fits.

    Raises
    ------
    ValueError
        As :func:`read_table`.
    MemoryError
        Where the dense form of sparse rows does not fit.

    Examples
    --------
    >>> read_dense([[0, 1]])
    array([[0., 1.]])
    """
    table = read_table(X)
    if is_sparse(table):
        refuse_memory("sparse rows made dense", 8.0 * table.shape[0] * table.shape[1], "give fewer rows")
        table = table.toarray()
    return np.asarray(table, dtype=np.float64)
