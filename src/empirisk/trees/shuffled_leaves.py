"""Where the rows of one tree would end if some of their columns were another row's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.trees.structure import Trees

__all__ = ["shuffled_leaves"]


def shuffled_leaves(
    tree: Trees, X: NDArray, rows: NDArray, donors: NDArray, groups: list[NDArray]
) -> NDArray[np.int32]:
    """Leaf of ``X[rows[i]]`` with the columns of group g taken from ``X[donors[i, g]]``.

    Parameters
    ----------
    tree : Trees of length 1
    X : array of shape (n, p)
    rows : int array of shape (m,)
    donors : int array of shape (m, len(groups))
    groups : list of int arrays
        Columns that are exchanged together.

    Returns
    -------
    array of int32, shape (m, len(groups))

    Notes
    -----
    Only rows whose path asks a column of the group can move. Cost: one walk for all, and one for each pair of
    row and group on its path.

    Examples
    --------
    >>> stump = Trees.stump(feature=0, threshold=1.5, values=[[1.0], [5.0]], n_features=2)
    >>> X = np.array([[0.0, 3.0], [3.0, 0.0]])
    >>> groups = [np.array([0]), np.array([1])]
    >>> shuffled_leaves(stump, X, np.array([0, 1]), np.array([[1, 1], [0, 0]]), groups)
    array([[2, 1],
           [1, 2]], dtype=int32)
    """
    here = X[rows]
    own = tree.apply(here)[:, 0]
    out = np.repeat(own[:, None], len(groups), axis=1).astype(np.int32)
    asked = _asked(tree)[own]
    for g, columns in enumerate(groups):
        moved = np.flatnonzero(asked[:, columns].any(axis=1))
        if moved.size:
            other = here[moved]
            other[:, columns] = X[donors[moved, g][:, None], columns]
            out[moved, g] = tree.apply(other)[:, 0]
    return out


def _asked(tree: Trees) -> NDArray[np.bool_]:
    """Whether the path to a node asks a column, shape (nodes, p)."""
    out = np.zeros((len(tree.feature), tree.n_features), dtype=bool)
    inner = np.flatnonzero(tree.feature >= 0)
    for node in inner[np.argsort(tree.node_depth[inner], kind="stable")]:
        child = tree.left[node]
        out[child] = out[node]
        out[child, tree.feature[node]] = True
        out[child + 1] = out[child]
    return out
