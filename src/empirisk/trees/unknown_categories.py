"""Sets of categories with one bit more: for categories that training did not have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.typing import IndexArray

__all__ = ["heavier_left", "with_unknown"]


def heavier_left(trees: Any, nodes: IndexArray) -> NDArray[np.bool_]:
    """Return whether the left child of each of these nodes holds at least as much training weight as the
    right one.

    Parameters
    ----------
    trees : Trees
    nodes : array of int, shape (m,)
        Numbers of nodes that have children.

    Returns
    -------
    array of bool, shape (m,)
    """
    root = trees.start[np.searchsorted(trees.start, nodes, side="right") - 1]
    child = root + trees.left[nodes]
    return np.asarray(trees.weight[child] >= trees.weight[child + 1])


def with_unknown(trees: Any) -> tuple[IndexArray | None, NDArray[np.uint32], IndexArray]:
    """Return the sets of categories as the loops read them: code c of a column of c categories means
    unknown.

    It goes with the heavier child, so its bit is 1 where that is the left one.  Missing values have no say
    in it.

    Parameters
    ----------
    trees : Trees

    Returns
    -------
    category_start : array of int64, shape (N,), or None
        None where no node asks for categories: a forest of numbers has many nodes.
    category_words : array of uint32
        Sets of ``ceil((c + 1) / 32)`` words.
    n_categories : array of int64, shape (p,)
        c + 1 for categories, 0 for numbers.

    Raises
    ------
    ValueError
        For a set that ends beyond `category_words`.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from empirisk.trees.structure import Trees
    >>> tree = replace(
    ...     Trees.stump(feature=0, threshold=0.0, values=[[1.0], [5.0]], n_features=1),
    ...     category_start=np.array([0, -1, -1]),
    ...     category_words=np.array([0b01], dtype=np.uint32),
    ...     weight=np.array([5.0, 2.0, 3.0]),
    ...     n_categories=np.array([2]),
    ... )
    >>> tree.missing_left[0], tree.predict(np.array([[0.0], [1.0], [np.nan], [2.0]])).ravel()
    (np.True_, array([1., 5., 1., 5.]))
    """
    known = np.asarray(trees.n_categories, dtype=np.int64)
    n_categories = np.where(known > 0, known + 1, 0)
    nodes = np.flatnonzero(trees.category_start >= 0)
    if not len(nodes):
        return None, np.zeros(0, dtype=np.uint32), n_categories
    c = known[trees.feature[nodes]]
    had, has = (c + 31) // 32, (c + 32) // 32
    if (trees.category_start[nodes] + had > len(trees.category_words)).any():
        raise ValueError("a set of categories is too short")
    first = np.cumsum(has) - has
    words = np.zeros(int(has.sum()), dtype=np.uint32)
    of = np.repeat(np.arange(len(nodes)), had)
    within = np.arange(len(of)) - np.repeat(np.cumsum(had) - had, had)
    words[first[of] + within] = trees.category_words[trees.category_start[nodes][of] + within]
    last, bit = first + c // 32, np.uint32(1) << (c % 32).astype(np.uint32)
    words[last] = np.where(heavier_left(trees, nodes), words[last] | bit, words[last] & ~bit)
    start = np.full(len(trees.feature), -1, dtype=np.int64)
    start[nodes] = first
    return start, words, n_categories
