"""The quadratic over the columns of a working set, and the Gram matrix of those columns, which grows with it.

sum_i h_i (r_i(w))^2 / 2        for the columns of `index`, measured from their h-weighted means
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from empirisk import _loops
from empirisk.solvers.columns import Columns
from empirisk.typing import Array, IndexArray

__all__ = ["GramSet", "Quadratic", "gram_fits"]

FREE_GRAM_BYTES = 64e6  # a Gram matrix up to this size is always worth its memory


def gram_fits(columns: Columns, k: int) -> bool:
    """Return whether a Gram matrix of k columns is worth its memory: small, or a tenth of X."""
    return not columns.sparse and 8.0 * k * k <= max(FREE_GRAM_BYTES, 0.1 * columns.X.nbytes)


class _Store:
    """Memory of a growing matrix, and how much of it is in use by the longest set that shares it."""

    def __init__(self, capacity: int) -> None:
        self.array = np.empty((capacity, capacity))
        self.filled = 0


@dataclass(frozen=True, eq=False)
class GramSet:
    """A growing set of columns with ``G = (X - m)' diag(h) (X - m)`` of its members.

    Members are appended and never leave, so that a later, larger set costs only its new columns.

    Parameters
    ----------
    columns : Columns
        Where the columns come from.
    h : array, shape (n,)
        Curvature of each row.
    index : array of int, shape (k,)
        The members.
    mean : array, shape (k,)
        Their h-weighted means; zero without an intercept.
    """

    columns: Columns
    h: Array
    index: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    mean: Array = field(default_factory=lambda: np.empty(0))
    store: _Store = field(default_factory=lambda: _Store(0))

    @property
    def gram(self) -> Array:
        """G, a view of shape (k, k)."""
        return self.store.array[: len(self.index), : len(self.index)]

    def with_features(self, features: IndexArray, mean: Array) -> GramSet:
        """The set with more members; O(n k) for each.

        The memory is shared with the new set, unless another set has been grown from this one before.
        """
        if len(features) == 0:
            return self
        held, total = len(self.index), len(self.index) + len(features)
        store = self.store
        if store.filled != held or total > len(store.array):
            store = _Store(total if held == 0 else total + total // 2)
            store.array[:held, :held] = self.gram
        index, mean = np.concatenate([self.index, features]), np.concatenate([self.mean, mean])
        _loops.gram_columns(self.columns.X, index, self.h, mean, held, store.array)
        store.filled = total
        return GramSet(self.columns, self.h, index, mean, store)


@dataclass(frozen=True, eq=False)
class Quadratic:
    """The sub-problem at the current point.

    Parameters
    ----------
    columns : Columns
        Where the columns come from.
    index : array of int, shape (k,)
        The working set.
    h : array, shape (n,)
        Curvature of each row.
    u : array, shape (n,)
        ``h_i r_i``, minus the derivative of the smooth part in the scores.
    q : array, shape (k,)
        Correlations ``(x_j - m_j) . u``, minus the gradient.
    mean : array, shape (k,), or None
        The h-weighted means m when there is an intercept.
    curvature : array, shape (k,)
        ``sum_i h_i (x_ij - m_j)^2``.
    gram : GramSet or None
        Its members are `index`; None to visit the columns in place.
    """

    columns: Columns
    index: IndexArray
    h: Array
    u: Array
    q: Array
    mean: Array | None
    curvature: Array
    gram: GramSet | None
