"""Leaves of rows by plain NumPy: a second road to what the compiled loops say."""

from __future__ import annotations

import numpy as np

from empirisk.trees.structure import Trees
from empirisk.typing import Array, IndexArray

__all__ = ["plain_leaves"]


def plain_leaves(trees: Trees, X: Array) -> IndexArray:
    """Return the leaf of each row in each tree, numbered over all trees, shape (n, T); O(n) a level and
    tree.

    Examples
    --------
    >>> stump = Trees.stump(feature=0, threshold=1.5, values=[[1.0], [5.0]], n_features=1)
    >>> plain_leaves(stump, np.array([[1.0], [2.0]])).tolist()
    [[1], [2]]
    """
    X = np.asarray(X, dtype=np.float64)
    out = np.empty((len(X), len(trees)), dtype=np.int64)
    for t, root in enumerate(trees.start[:-1]):
        node = np.full(len(X), root, dtype=np.int64)
        moving = np.arange(len(X))
        while len(moving := moving[trees.feature[node[moving]] >= 0]):
            at = node[moving]
            left = trees.goes_left(at, X[moving, trees.feature[at]])
            node[moving] = root + trees.left[at] + ~left
        out[:, t] = node
    return out
