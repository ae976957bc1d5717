"""Stumps over columns that are sorted once: the best one for any weights of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk import _loops
from empirisk.data.memory import refuse_memory
from empirisk.trees.structure import Trees
from empirisk.trees.votes import class_mass
from empirisk.typing import Array, IndexArray

__all__ = ["Stump", "StumpSearch", "stump_trees"]


@dataclass(frozen=True)
class Stump:
    """One cut, or none (column -1: one label for all rows was the best).

    Parameters
    ----------
    column, threshold, missing_left, words
        The cut as in :class:`Trees`; `words` is the set of categories that go left, empty for a number.
    mass : array, shape (1 or 2, K)
        Weight of each class in each leaf; all sum to 1.
    count : array, shape (1 or 2,)
        Rows in each leaf.
    """

    column: int
    threshold: float
    missing_left: bool
    words: NDArray[np.uint32]
    mass: Array
    count: IndexArray


class StumpSearch:
    """Sorted columns of rows with classes, and workspace.

    The best stump for weights w has the largest ``sum over leaves of |W1 - W0|`` (discrete, two classes: the
    largest edge), the least ``sum over leaves of 2 sqrt(W1 W0)`` (real, two classes), the largest sum of the
    leaves' majorities (discrete, K classes), or the purest leaves by Gini's measure (real, K classes). All
    thresholds between different numbers are looked at, missing values on either side, and for two classes
    the best of all ``2^(c-1) - 1`` sets of categories (of some of them for K: those that are best for two
    of the classes). Ties: first column, then lowest threshold.

    Parameters
    ----------
    X : array, shape (n, p)
        Numbers, NaN where missing, and codes of categories.
    n_categories : array of int64, shape (p,)
        Categories of each column, 0 for a number.
    y : array of int32, shape (n,)
        Class codes.
    n_classes : int
        K >= 2.

    Notes ----- Sorting costs O(p n log n) once, a search O(n p). Memory: 4 bytes for each entry of X.
    Weights are rounded to multiples of 2^-60 of their sum, so that sums are exact and do not depend on the
    order of the rows.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1], dtype=np.int32)
    >>> search = StumpSearch(X, np.zeros(1, dtype=np.int64), y, 2)
    >>> stump = search.best(np.full(4, 0.25))
    >>> stump.threshold, stump.mass.tolist(), search.leaf.tolist()
    (2.5, [[0.5, 0.0], [0.0, 0.5]], [0, 0, 1, 1])
    """

    def __init__(self, X: Array, n_categories: Any, y: NDArray[np.int32], n_classes: int) -> None:
        self.X, self.n_categories, self.n_classes = X, n_categories, n_classes
        self.y = np.ascontiguousarray(y, dtype=np.int32)
        refuse_memory("sorting the columns for stumps", 4.0 * X.size, "fit on a sample of the rows")
        n_categories = np.ascontiguousarray(n_categories, dtype=np.int64)
        self._order, self._order_start, self._missing, self._missing_start = _loops.stump_columns(
            X, n_categories
        )
        coded = [X[:, j] for j in np.flatnonzero(n_categories)]
        self._codes = np.full((len(coded), len(X)), -1, dtype=np.int32)
        for out, column in zip(self._codes, coded, strict=True):
            known = ~np.isnan(column)
            out[known] = column[known]
        self._whole = np.empty(len(X), dtype=np.int64)
        self._words = np.zeros((int(n_categories.max(initial=0)) + 31) // 32, dtype=np.uint32)
        self.leaf = np.empty(len(X), dtype=np.int32)

    def best(self, weight: Array, real: bool = False) -> Stump:
        """Return the best stump for weights >= 0 of sum 1; ``leaf`` then holds each row's leaf (0: left)."""
        column, cut, missing_left, _ = _loops.best_stump(
            np.asarray(weight, dtype=np.float64),
            1.0 / float(weight.sum()),
            self.y,
            self.n_classes,
            real,
            self._order,
            self._order_start,
            self._missing,
            self._missing_start,
            self._codes,
            self.n_categories,
            self._whole,
            self.leaf,
            self._words,
        )
        n_leaves = 1 if column < 0 else 2
        mass = class_mass(self.leaf, self.y, weight, n_leaves, self.n_classes)
        count = np.bincount(self.leaf, minlength=n_leaves)
        if column < 0:
            return Stump(-1, 0.0, False, self._words[:0], mass, count)
        heavier = mass[0].sum() >= mass[1].sum()
        if self._missing_start[column] == self._missing_start[column + 1]:
            missing_left = bool(heavier)
        if self.n_categories[column]:
            words = self._set(column, bool(heavier))
            return Stump(column, 0.0, missing_left, words, mass, count)
        return Stump(column, self._threshold(column, cut), missing_left, self._words[:0], mass, count)

    def _set(self, column: int, heavier_left: bool) -> NDArray[np.uint32]:
        """Return the categories that go left; those without weight go with the heavier leaf."""
        c = int(self.n_categories[column])
        words = self._words[: (c + 31) // 32].copy()
        if heavier_left:
            codes = self._codes[int(np.count_nonzero(self.n_categories[:column]))]
            seen = np.bincount(codes[(codes >= 0) & (self._whole != 0)], minlength=c) > 0
            absent = np.flatnonzero(~seen)
            np.bitwise_or.at(words, absent // 32, np.uint32(1) << (absent % 32).astype(np.uint32))
        return words

    def _threshold(self, column: int, cut: int) -> float:
        """Return the middle of the gap after `cut` numbers; infinity where only missing values go right."""
        rows = self._order[self._order_start[column] : self._order_start[column + 1]] >> 1
        if cut == len(rows):
            return np.inf
        low, high = float(self.X[rows[cut - 1], column]), float(self.X[rows[cut], column])
        middle = 0.5 * low + 0.5 * high
        return middle if low <= middle < high else low


def stump_trees(stumps: Sequence[Stump], values: Sequence[Array], n_categories: IndexArray) -> Trees:
    """Return the stumps as trees; ``values[t]`` (leaves, k) are the predictions of the leaves of stump t.

    Examples
    --------
    >>> none = np.zeros(0, dtype=np.uint32)
    >>> stump = Stump(0, 1.5, True, none, np.array([[0.5, 0.0], [0.0, 0.5]]), np.array([3, 3]))
    >>> stump_trees([stump], [np.array([[-1.0], [1.0]])], np.zeros(1, dtype=np.int64)).predict([[1.0], [2.0]])
    array([[-1.],
           [ 1.]])
    """
    cut = np.array([s.column >= 0 for s in stumps])
    sizes = np.where(cut, 3, 1)
    start = np.cumsum([0, *sizes], dtype=np.int64)
    n, root = int(start[-1]), start[:-1]
    mass = np.concatenate(
        [np.vstack([s.mass.sum(axis=0), s.mass]) if c else s.mass for s, c in zip(stumps, cut, strict=True)]
    )
    weight = mass.sum(axis=1)
    share = mass / np.where(weight > 0.0, weight, 1.0)[:, None]
    heterogeneity = np.where(weight > 0.0, 1.0 - share.max(axis=1), 0.0)
    cost, inner = heterogeneity * weight, root[cut]
    gain = np.zeros(n)
    gain[inner] = np.maximum(0.0, cost[inner] - cost[inner + 1] - cost[inner + 2])
    feature, left = np.full(n, -1, dtype=np.int32), np.full(n, -1, dtype=np.int32)
    threshold, missing_left = np.zeros(n), np.zeros(n, dtype=bool)
    category_start = np.full(n, -1, dtype=np.int64)
    chosen = [s for s in stumps if s.column >= 0]
    feature[inner], left[inner] = [s.column for s in chosen], 1
    threshold[inner], missing_left[inner] = [s.threshold for s in chosen], [s.missing_left for s in chosen]
    ends = np.cumsum([0, *(len(s.words) for s in chosen)])
    category_start[inner] = [e if len(s.words) else -1 for e, s in zip(ends, chosen, strict=False)]
    words = [s.words for s in chosen]
    said = [np.vstack([_mean(v, s), v]) if c else v for v, s, c in zip(values, stumps, cut, strict=True)]
    counts = [[int(s.count.sum()), *s.count] if c else [*s.count] for s, c in zip(stumps, cut, strict=True)]
    return Trees(
        start=start,
        feature=feature,
        threshold=threshold,
        left=left,
        missing_left=missing_left,
        category_start=category_start,
        category_words=np.concatenate(words) if words else np.zeros(0, dtype=np.uint32),
        value=np.concatenate(said),
        weight=weight,
        count=np.concatenate([np.asarray(c, dtype=np.int64) for c in counts]),
        gain=gain,
        heterogeneity=heterogeneity,
        n_categories=n_categories,
    )


def _mean(value: Array, stump: Stump) -> Array:
    """Return the root's value: the mean of the leaves by weight."""
    return np.asarray(stump.mass.sum(axis=1) @ value / stump.mass.sum())
