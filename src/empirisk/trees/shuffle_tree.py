"""How the predictions of one tree change when columns of a row are taken from another row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk import _loops
from empirisk.trees.structure import Trees
from empirisk.trees.unknown_categories import with_unknown

__all__ = ["shuffle_tree"]


def shuffle_tree(
    tree: Trees,
    X: NDArray,
    rows: NDArray,
    donors: NDArray,
    group: NDArray,
    at: NDArray,
    out: NDArray[np.float64],
) -> None:
    """``out[at[i], g] += f(X[rows[i]] with the columns of group g from X[donors[i, g]]) - f(X[rows[i]])``.

    Parameters
    ----------
    tree : Trees of length 1
        Its leaf values are f.
    X : array of float64, shape (n, p), in C order
    rows : int array of shape (m,)
    donors : int array of shape (m, g), or (m, 1) for all groups
    group : int array of shape (p,)
        Group of each column; -1: none.
    at : int array of shape (m,)
        Different places.
    out : array of shape (places, g, k)
        Changed in place.

    Notes
    -----
    One walk down for each row; a second one only where the donor's value goes the other way at a node of the
    first.

    Examples
    --------
    >>> stump = Trees.stump(feature=0, threshold=1.5, values=[[1.0], [5.0]], n_features=2)
    >>> X = np.array([[0.0, 3.0], [3.0, 0.0]])
    >>> out = np.zeros((2, 2, 1))
    >>> shuffle_tree(stump, X, np.arange(2), np.array([[1, 1], [0, 0]]), np.arange(2), np.arange(2), out)
    >>> out[:, :, 0]
    array([[ 4.,  0.],
           [-4.,  0.]])
    """

    def as_int(a: NDArray) -> NDArray[np.int64]:
        return np.ascontiguousarray(a, dtype=np.int64)

    category_start, category_words, n_categories = with_unknown(tree)
    if category_start is None:
        category_start = np.full(len(tree.feature), -1)
    _loops.shuffle_tree(
        np.ascontiguousarray(tree.feature, dtype=np.int32),
        np.ascontiguousarray(tree.threshold, dtype=np.float64),
        np.ascontiguousarray(tree.left, dtype=np.int32),
        np.ascontiguousarray(tree.missing_left, dtype=np.bool_),
        as_int(category_start),
        np.ascontiguousarray(category_words, dtype=np.uint32),
        np.ascontiguousarray(tree.value, dtype=np.float64),
        as_int(n_categories),
        np.ascontiguousarray(X, dtype=np.float64),
        as_int(rows),
        as_int(donors),
        np.ascontiguousarray(group, dtype=np.int32),
        as_int(at),
        out,
    )
