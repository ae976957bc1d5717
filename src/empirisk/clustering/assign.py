"""Rows and their nearest centres, by squared Euclidean distance.

With any point m, ``||x - c||^2 = ||x - m||^2 + ||c - m||^2 + 2 m.(c - m) - 2 x.(c - m)``: the nearest
centre is found from products of rows and centres, of which a compiled loop keeps the best of each row; the
matrix of all distances does not exist.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.table import read_table
from empirisk.typing import Array, IndexArray

__all__ = ["Labels", "assign", "assigned", "cluster_sums", "middle", "nearest", "pieces"]

# Multiply-adds of a call of a loop: 0.2 s on one thread of the machine where it was measured.
WORK = 1e10
# Labels inside the loops: half the memory of an index.
Labels = np.ndarray[tuple[int], np.dtype[np.int32]]


def assign(X: Any, centers: Any) -> tuple[IndexArray, Array]:
    """Return the nearest centre of each row, and its squared distance.

    ``label_i = argmin_k ||x_i - c_k||^2``; of centres whose distances are equal, as rounded, the first.

    Parameters
    ----------
    X : array, data frame, list of rows or sparse matrix, shape (n, p)
        Finite rows.  Products are made in float32 where the rows are, else in float64.
    centers : array, data frame or list, shape (K, p)
        K >= 1, finite.

    Returns
    -------
    labels : array of int, shape (n,)
    squares : array of float64, shape (n,)
        ``||x_i - c_label||^2`` from differences, in float64.

    Raises
    ------
    ValueError
        For centres that are no array of K finite rows and p columns; for NaN and infinity in X, by place.

    Notes
    -----
    O(n K p) time, O(n + K p) memory beyond X.  The labels have the same bits for any number of threads.
    Centres whose distances to a row differ by less than the rounding of products in the format of X (about
    ``p eps ||x|| ||c - m||``, m the mean of the centres) may be taken for each other.

    Examples
    --------
    >>> labels, squares = assign(np.array([[0.0], [1.0], [4.0]]), [[0.0], [5.0]])
    >>> labels.tolist(), squares.tolist()
    ([0, 0, 1], [0.0, 1.0, 1.0])
    """
    X = read_table(X)
    centers = np.ascontiguousarray(centers, dtype=np.float64)
    if centers.ndim != 2 or not len(centers) or centers.shape[1] != X.shape[1]:
        raise ValueError(
            f"centers must have shape (K, {X.shape[1]}) with K >= 1 to go with X, got {centers.shape}"
        )
    if not np.isfinite(centers).all():
        k, j = (int(v) for v in np.argwhere(~np.isfinite(centers))[0])
        raise ValueError(f"centers[{k}, {j}] is {centers[k, j]:g}; give finite numbers")
    return assigned(X, centers)


def assigned(X: Any, centers: Array) -> tuple[IndexArray, Array]:
    """Return what :func:`assign` does, for checked rows and centres.

    Examples
    --------
    >>> assigned(np.array([[0.0], [4.0]]), np.array([[5.0]]))[1]
    array([25.,  1.])
    """
    centers = np.ascontiguousarray(centers, dtype=np.float64)
    square = np.empty(X.shape[0])
    return nearest(X, centers, middle(X, centers), square=square).astype(np.intp), square


def middle(X: Any, centers: Array) -> Array | None:
    """Return the point that products are measured from: the mean of the centres; none with CSR rows."""
    return centers.mean(axis=0) if isinstance(X, np.ndarray) else None


def nearest(
    X: Any, centers: Array, shift: Array | None, *, label: Labels | None = None, square: Array | None = None
) -> Labels:
    """Return the labels of the rows as int32; ``label`` and ``square`` are written where they are given."""
    label, X = np.empty(X.shape[0], dtype=np.int32) if label is None else label, _rows(X)
    for part in pieces(X.shape[0], centers.size):
        _loops.nearest_centers(
            X if part is None else X[part],
            centers,
            shift,
            label if part is None else label[part],
            square if part is None or square is None else square[part],
        )
    return label


def pieces(n: int, numbers: int) -> list[slice | None]:
    """Return slices of n rows that meet so many numbers in about half a second each: Ctrl-C is heard between.

    Examples
    --------
    >>> pieces(1000, 64), len(pieces(10_000_000, 10_000))
    ([None], 10)
    """
    step = max(1024, int(WORK // max(numbers, 1)))
    return [None] if n <= step else [slice(a, a + step) for a in range(0, n, step)]


def cluster_sums(
    X: Any,
    weight: Array | None,
    label: Labels,
    shift: Array | None,
    n_clusters: int,
) -> tuple[Array, Array]:
    """Return the weighted sums of ``x - shift`` and the weights of the clusters, shapes (K, p) and (K,).

    Every sum is made in the order of the rows, in float64.

    Examples
    --------
    >>> cluster_sums(np.array([[1.0], [2.0], [4.0]]), None, np.array([0, 1, 0], np.int32), None, 2)
    (array([[5.],
           [2.]]), array([2., 1.]))
    """
    total, mass = np.zeros((n_clusters, X.shape[1])), np.zeros(n_clusters)
    _loops.cluster_sums(_rows(X), weight, label, None, shift, total, mass)
    return total, mass


def _rows(X: Any) -> Any:
    """Rows as the loops read them: a dense array whose rows have their columns side by side, or CSR."""
    dense = isinstance(X, np.ndarray)
    return np.ascontiguousarray(X) if dense and X.strides[1] != X.itemsize and X.shape[1] > 1 else X
