"""Columns that hold more than one value: the only ones that a forest needs to look at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.trees.bins import Binned, Bins
from empirisk.trees.structure import Trees
from empirisk.typing import Array, IndexArray

__all__ = ["VaryingColumns", "bin_varying"]


@dataclass(frozen=True, eq=False)
class VaryingColumns:
    """Which columns the trees are grown on, and how they are numbered in X.

    Parameters
    ----------
    kept : array of int64
        Increasing numbers of the columns in X.
    n_categories : array of int64, shape (p,)
        Of all columns of X.
    """

    kept: IndexArray
    n_categories: IndexArray

    def restore(self, trees: Trees) -> Trees:
        """Return the trees with the column numbers of X."""
        if len(self.kept) == len(self.n_categories):
            return trees
        feature = np.where(trees.feature >= 0, self.kept[trees.feature], -1).astype(trees.feature.dtype)
        return replace(trees, feature=feature, n_categories=self.n_categories)


def bin_varying(
    X: Any, n_categories: IndexArray, weight: Array | None, max_bins: int
) -> tuple[VaryingColumns, Binned]:
    """Bin the columns that hold more than one value (the first one if none does).

    A node draws from the columns that are not constant in it, so that leaving out those that are constant
    in all rows changes no probability.  Dense and sparse rows keep the same columns.  Cost: columns of a
    sparse X without a stored number are never looked at.

    Parameters
    ----------
    X : array or CSC matrix of floats, shape (n, p)
    n_categories : array of int64, shape (p,)
    weight : array, shape (n,), optional
    max_bins : int

    Examples
    --------
    >>> X = np.array([[1.0, 0.0, 2.0], [1.0, 3.0, 4.0]])
    >>> columns, binned = bin_varying(X, np.zeros(3, dtype=np.int64), None, 255)
    >>> columns.kept, binned.shape
    (array([1, 2]), (2, 2))
    """
    kept = np.arange(X.shape[1])
    if sp.issparse(X):
        by_column: Any = X
        stored = np.concatenate([[0], np.cumsum(by_column.data != 0.0)])
        kept = _or_first(np.flatnonzero(np.diff(stored[by_column.indptr])))
        X = by_column[:, kept]
    binned = Bins.fit(X, n_categories[kept], weight, max_bins=max_bins).transform(X)
    vary = _or_first(np.flatnonzero((binned.columns != binned.columns[:, :1]).any(axis=1)))
    if len(vary) < len(kept):
        kept, binned = kept[vary], binned.of_columns(vary)
    return VaryingColumns(kept, n_categories), binned


def _or_first(columns: IndexArray) -> IndexArray:
    return columns if len(columns) else np.zeros(1, dtype=np.int64)
