"""Sparse matrices as the loops read them: CSR or CSC, columns ascending, every cell once, no zeros."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

__all__ = ["canonical", "is_sparse", "row_slice", "short_indices"]

T = TypeVar("T")
# Neighbouring cells are compared in pieces that stay in the cache.
PIECE = 1 << 16


def is_sparse(X: Any) -> bool:
    """Return whether X is a sparse matrix; SciPy's own test would narrow the type to one without methods."""
    return bool(sp.issparse(X))


def canonical(X: Any) -> Any:
    """Return a sparse matrix as CSR or CSC of ascending indices, no cell twice, none zero; the rest as
    it is.

    SciPy adds repeated cells, and so does this: the answer has the dense form of X.  X itself is never
    changed: what is canonical already is shared, what is not is copied.

    Parameters
    ----------
    X : any
        A sparse matrix or array of any format, or something else.

    Raises
    ------
    ValueError
        For indices that point outside of X, which only edits of ``X.indices`` by hand make.

    Notes
    -----
    The flags ``has_canonical_format`` and ``has_sorted_indices`` are not asked: SciPy keeps them when
    ``X.indices`` is edited or replaced (scikit-learn's CountVectorizer does that), so they may be wrong.
    The indices are looked at instead: two comparisons a cell, a fraction of a product with X.

    Examples
    --------
    >>> words = sp.csr_array((np.ones(3), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    >>> canonical(words).data
    array([2., 1.])
    """
    if not sp.issparse(X):
        return X
    cells: Any = X
    if len(cells.shape) != 2:
        return X
    # A new object on the same arrays: with flags of its own, and without those of the user's.
    fresh = _same_cells(cells if cells.format in ("csr", "csc") else cells.tocsr())
    _refuse_outside(fresh)
    if _ascending(fresh) and not _stores_zeros(fresh):
        return fresh
    fresh = fresh.copy()
    fresh.check_format(full_check=True)
    fresh.sum_duplicates()
    fresh.eliminate_zeros()
    return fresh


def short_indices(X: T) -> T:
    """Return a CSR or CSC matrix with indices of 32 bits where its cells and its shape have such numbers.

    SciPy keeps the indices that an array is made from, and scikit-learn refuses those of 64 bits.

    Examples
    --------
    >>> wide = sp.csr_array((np.ones(1), np.array([1]), np.array([0, 1])), shape=(1, 2))
    >>> wide.indices.dtype, short_indices(wide).indices.dtype
    (dtype('int64'), dtype('int32'))
    """
    cells: Any = X
    if max(cells.nnz, *cells.shape) > np.iinfo(np.int32).max:
        return X
    indices, starts = (part.astype(np.int32, copy=False) for part in (cells.indices, cells.indptr))
    made: T = type(cells)((cells.data, indices, starts), shape=cells.shape)
    return made


def row_slice(X: Any, first: int, last: int) -> Any:
    """Return the rows first, ..., last - 1 of a CSR matrix, whose cells are those in memory and no copies.

    Examples
    --------
    >>> X = sp.csr_array(np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]]))
    >>> row_slice(X, 1, 3).toarray()
    array([[0., 2.],
           [3., 4.]])
    """
    if (first, last) == (0, X.shape[0]):
        return X
    begin, end = int(X.indptr[first]), int(X.indptr[last])
    out = type(X)((last - first, X.shape[1]), dtype=X.dtype)
    # Set one by one: the constructor looks through all indices, and may copy them in another format.
    out.data, out.indices = X.data[begin:end], X.indices[begin:end]
    out.indptr = X.indptr[first : last + 1] - X.indptr[first]
    return out


def _same_cells(X: Any) -> Any:
    kinds = (sp.csr_array, sp.csc_array) if isinstance(X, sp.sparray) else (sp.csr_matrix, sp.csc_matrix)
    return kinds[X.format == "csc"]((X.data, X.indices, X.indptr), shape=X.shape)


def _ascending(X: Any) -> bool:
    """Return whether the indices rise strictly within every row (column, for CSC): they fall between rows
    only.
    """
    indices, starts = X.indices, X.indptr
    filled = starts[1:] > starts[:-1]
    if (starts[1:] < starts[:-1]).any():
        return False
    falls = 0
    for begin in range(0, len(indices) - 1, PIECE):
        piece = indices[begin : begin + PIECE + 1]
        falls += int(np.count_nonzero(piece[1:] <= piece[:-1]))
    between = starts[:-1][filled][1:]
    return bool(falls == np.count_nonzero(indices[between] <= indices[between - 1]))


def _stores_zeros(X: Any) -> bool:
    return any((X.data[k : k + PIECE] == 0).any() for k in range(0, len(X.data), PIECE))


def _refuse_outside(X: Any) -> None:
    width = X.shape[1] if X.format == "csr" else X.shape[0]
    if not len(X.indices):
        return
    least, largest = int(X.indices.min()), int(X.indices.max())
    if least < 0 or largest >= width:
        what = "column" if X.format == "csr" else "row"
        raise ValueError(
            f"X.indices names {what} {least if least < 0 else largest} of a sparse matrix with {width} "
            f"{what}s; build it anew"
        )
