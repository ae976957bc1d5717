"""Shapley values of the columns for sums of trees, exact.

Lundberg and others, Nature Machine Intelligence 2 (2020).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.trees.structure import Trees
from empirisk.typing import Array, IndexArray

__all__ = ["background_shapley", "expected_value", "path_shapley", "weight_shares"]


def _children(trees: Trees) -> tuple[IndexArray, IndexArray]:
    """Return the inner nodes and their left children, numbered over all trees."""
    inner = np.flatnonzero(trees.feature >= 0)
    roots = np.repeat(trees.start[:-1], np.diff(trees.start))
    return inner, roots[inner] + trees.left[inner]


def weight_shares(trees: Trees) -> Array:
    """Return each node's share of its parent's training weight, shape (N,); halves where the parent has
    none.
    """
    _, left = _children(trees)
    share, both = np.ones(len(trees.feature)), trees.weight[left] + trees.weight[left + 1]
    share[left] = np.where(both > 0.0, trees.weight[left] / np.where(both > 0.0, both, 1.0), 0.5)
    share[left + 1] = 1.0 - share[left]
    return share


def expected_value(trees: Trees) -> Array:
    """Return the sum over trees of the mean leaf value under the training weights, shape (k,)."""
    share, chance = weight_shares(trees), np.ones(len(trees.feature))
    inner, left = _children(trees)
    depth = trees.node_depth[inner]
    order = np.argsort(depth, kind="stable")
    for layer in np.split(order, np.flatnonzero(np.diff(depth[order])) + 1):
        for child in (left[layer], left[layer] + 1):
            chance[child] = chance[inner[layer]] * share[child]
    leaf = trees.feature < 0
    return np.asarray(chance[leaf] @ trees.value[leaf])


def path_shapley(trees: Trees, X: Any) -> Array:
    """Shapley values of the game "mean of the trees when only the columns S are known".

    Unknown columns follow both branches, in proportion to the training weights (the path-dependent
    conditional mean of Lundberg et al.).

    Parameters
    ----------
    trees : Trees
        With training weights.
    X : array or sparse matrix, shape (n, p)
        Encoded rows.

    Returns
    -------
    array, shape (n, p, k)
        With ``expected_value(trees)`` they add up to ``trees.predict(X)``.

    Notes
    -----
    Cost: n x edges x m/2 where m is the largest number of columns on a path; no tables of subsets.

    References
    ----------
    Owen 1972, Multilinear extensions of games, Management Science 18; Lundberg et al. 2020, From local
    explanations to global understanding, Nature Machine Intelligence 2; Yu et al. 2022, Linear TreeSHAP.

    Examples
    --------
    >>> stump = Trees.stump(feature=0, threshold=1.5, values=[[1.0], [5.0]], n_features=2)
    >>> path_shapley(stump, np.array([[1.0, 0.0]]))[:, :, 0]
    array([[-2.,  0.]])
    """
    return _values(trees, trees.rows(X), weight_shares(trees))


def background_shapley(trees: Trees, X: Any, background: Any) -> Array:
    """Shapley values of the game "mean over background rows b of f(x on S, b elsewhere)", shape (n, p, k).

    With the mean of ``trees.predict(background)`` they add up to ``trees.predict(X)``.

    Parameters
    ----------
    trees : Trees
        Their training weights play no part.
    X, background : array or sparse matrix, shape (n, p) and (B, p)
        Encoded rows.

    Notes
    -----
    At a leaf only the set of features on its path matters that a row satisfies: background rows are counted
    by their sets, and rows with the same set share their sums.  The cost is n x leaves x columns on a path;
    B counts only through the number of different sets.  Where a path asks more than 63 columns the values
    are made by `path_shapley` for one background row at a time, with the whole weight on its branches.

    References
    ----------
    Lundberg et al. 2020, Nature Machine Intelligence 2 (interventional values).

    Examples
    --------
    >>> stump = Trees.stump(feature=0, threshold=1.5, values=[[1.0], [5.0]], n_features=2)
    >>> background_shapley(stump, np.array([[1.0, 0.0]]), np.array([[2.0, 0.0], [0.0, 0.0]]))[:, :, 0]
    array([[-2.,  0.]])
    """
    X, background = trees.rows(X), trees.rows(background)
    total = np.zeros((X.shape[0], trees.n_features, trees.n_outputs))
    if not trees.loop.background_shap(X, background, np.ascontiguousarray(trees.value), total):
        return _row_by_row(trees, X, background)
    return total


def _row_by_row(trees: Trees, X: Any, background: Any) -> Array:
    inner, left = _children(trees)
    total = np.zeros((X.shape[0], trees.n_features, trees.n_outputs))
    for b in range(background.shape[0]):
        row = background[[b]]
        row = np.asarray(row.toarray() if hasattr(row, "toarray") else row, dtype=np.float64)[0]
        goes, share = trees.goes_left(inner, row[trees.feature[inner]]), np.ones(len(trees.feature))
        share[left], share[left + 1] = goes, ~goes
        trees.loop.shap(X, np.ascontiguousarray(trees.value), share, total)
    total /= background.shape[0]
    return total


def _values(trees: Trees, X: Any, share: Array) -> Array:
    out = np.zeros((X.shape[0], trees.n_features, trees.n_outputs))
    trees.loop.shap(X, np.ascontiguousarray(trees.value), share, out)
    return out
