"""Rows that are equal in every cell, numbered by their content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.sparse_cells import canonical
from empirisk.diagnosis.columns import as_column, columns_of
from empirisk.evaluation.outputs import n_rows

__all__ = [
    "BY_CHANCE",
    "chance_pairs",
    "copied_rows",
    "identical_rows",
    "pairs_by_chance",
    "twin_pairs",
    "with_target",
]

BY_CHANCE = 0.01  # dependent columns may make a hundred times the twins of independent ones


def identical_rows(X: Any, y: Any = None) -> NDArray[Any]:
    """Number the rows so that rows with equal cells (and equal target) share a number.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, p)
        Cells of any kind; missing values equal each other, ``0.0`` equals ``-0.0``.
    y : array of shape (n,), optional
        Targets; without them rows of different targets may be equal.

    Returns
    -------
    int array of shape (n,)

    Notes
    -----
    Columns are numbered one by one and folded together, so that the cost is O(n p log n) and no hash can
    collide.

    Examples
    --------
    >>> identical_rows([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0]], [0, 0, 0]).tolist()
    [0, 0, 1]
    """
    codes = np.zeros(n_rows(X), dtype=np.int64)
    for column in _columns(X):
        codes = np.unique(codes * (int(column.max()) + 1) + column, return_inverse=True)[1]
        if len(codes) == 0 or int(codes.max()) == len(codes) - 1:
            break  # every row is alone already
    return np.asarray(codes) if y is None else with_target(codes, y)


def with_target(code: NDArray[Any], y: Any) -> NDArray[Any]:
    """Return the numbers of equal rows, told apart by the target too."""
    target = _numbered(as_column(np.asarray(y)))
    joint = code * (int(target.max(initial=0)) + 1) + target
    return np.asarray(np.unique(joint, return_inverse=True)[1])


def twin_pairs(code: NDArray[Any]) -> int:
    """Return the pairs of rows that share a number."""
    counts = np.bincount(code).astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


def chance_pairs(n: int, counts: Iterable[NDArray[Any]]) -> float:
    """About how many pairs of n rows are equal by chance, if the columns are independent of each other.

    ``n (n - 1)/2 * prod_j c_j`` with c_j the share of the pairs of *different* rows that agree in column j (a
    missing value is a value): different rows only, because copies must not count as evidence for chance.
    Dependent columns make more twins than independent ones: a count a hundred times as large does not prove
    that rows were copied.

    Parameters
    ----------
    n : int
        Rows.
    counts : iterable of int arrays
        How often each value of a column stands among the different rows.

    Examples
    --------
    All eight combinations of three coins: three of seven pairs agree in each column.

    >>> round(chance_pairs(8, [np.array([4, 4])] * 3), 6) == round(28 * (3 / 7) ** 3, 6)
    True
    """
    share = 1.0
    for each in counts:
        c = each.astype(np.float64)
        m = float(c.sum())
        share *= float((c * (c - 1.0)).sum()) / (m * (m - 1.0)) if m > 1.0 else 1.0
    return 0.5 * n * (n - 1) * share


def pairs_by_chance(X: Any, y: Any, code: NDArray[Any]) -> float:
    """:func:`chance_pairs` of a table; of a sparse one only zeros and others are told apart.

    Examples
    --------
    >>> X = [[0.0], [1.0], [0.0], [1.0]]
    >>> pairs_by_chance(X, [0, 0, 0, 1], identical_rows(X, [0, 0, 0, 1])) > 0.5
    True
    """
    first = np.unique(code, return_index=True)[1]
    target = np.bincount(_numbered(as_column(np.asarray(y)))[first])
    if hasattr(X, "tocsr"):
        rows = canonical(X).tocsr()[first]
        rows.eliminate_zeros()
        stored = np.bincount(rows.indices, minlength=X.shape[1])
        columns: Iterable[NDArray[Any]] = (np.array([k, len(first) - k]) for k in stored)
    else:
        columns = (np.bincount(column[first]) for column in _columns(X))
    return chance_pairs(len(code), [target, *columns])


def copied_rows(X: Any, y: Any, code: NDArray[Any]) -> NDArray[Any]:
    """Return `code`, the numbers of equal rows; a number for every row where chance makes them equal.

    Examples
    --------
    >>> copied_rows([[1.5], [1.5], [2.5]], [1, 1, 2], np.array([0, 0, 1])).tolist()
    [0, 0, 1]
    >>> copied_rows([[0.0], [1.0]] * 2, [0, 1, 0, 0], np.array([0, 1, 0, 2])).tolist()
    [0, 1, 2, 3]
    """
    twins = twin_pairs(code)
    alone = twins == 0 or pairs_by_chance(X, y, code) > BY_CHANCE * twins
    return np.arange(len(code)) if alone else code


def _columns(X: Any) -> Iterator[NDArray[Any]]:
    if hasattr(X, "tocsr"):
        yield _stored(canonical(X).tocsr())
    else:
        yield from (_numbered(column) for column in columns_of(X))


def _stored(X: Any) -> NDArray[Any]:
    """Return one number a row from its stored cells."""
    rows = X.copy()
    rows.eliminate_zeros()
    seen: dict[bytes, int] = {}
    out = np.empty(rows.shape[0], dtype=np.int64)
    for i in range(rows.shape[0]):
        part = slice(rows.indptr[i], rows.indptr[i + 1])
        key = rows.indices[part].tobytes() + rows.data[part].tobytes()
        out[i] = seen.setdefault(key, len(seen))
    return out


def _numbered(column: Any) -> NDArray[Any]:
    """Return the codes of the values, equal for equal values (missing ones equal each other)."""
    if column.dtype.kind == "f":
        return np.asarray(np.unique(column, return_inverse=True)[1])
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(v, len(seen)) for v in column.tolist()], dtype=np.int64)
