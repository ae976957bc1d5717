"""Columns as codes of one byte: what the histogram engines see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk import _loops
from empirisk.typing import Array, IndexArray

__all__ = ["Binned", "Bins"]

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_BINS = 255  # codes 0 .. 254; one more code is for missing values
SAMPLE_ROWS = 200_000  # enough to place 254 cuts within a thousandth of the rows


@dataclass(frozen=True, eq=False)
class Bins:
    """Where each column is cut into at most 255 bins.

    The code of a number x is the number of cuts below it: ``code <= t`` if and only if ``x <= cuts(j)[t]``.
    A column of at most `max_bins` distinct numbers has a bin for each; otherwise the bins hold equal shares
    of the weight, but for single numbers that are heavier than a share.  Cuts are midpoints between
    neighbouring numbers.  The code of a category is the category itself; beyond `max_bins` categories the
    most frequent ones have a code each and **all others share one**: rare categories are pooled.  The code
    of a missing value is ``n_bins[j]``, the last code of its column.

    Parameters
    ----------
    cut_start : array of int64, shape (p + 1,)
        Where the cuts of each column begin in `cut_values`.
    cut_values : array
        The cuts, increasing within a column; none for categories.
    code_start : array of int64, shape (p + 1,)
        Where the codes of each column's categories begin in `code_values`.
    code_values : array of uint8
        The code of each category.
    n_categories : array of int64, shape (p,)
        Number of categories of each column; 0 for a number.

    Notes
    -----
    Cuts come from at most 200,000 rows, drawn evenly and with a fixed seed: a share of the rows below a cut
    then has a standard error of at most 0.0012.  Rows of weight 0 count as absent, a weight of 2 as two rows.
    `fit` costs a sort of the drawn rows for each column, `transform` eight comparisons a number.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [4.0], [np.nan]])
    >>> bins = Bins.fit(X)
    >>> bins.cuts(0), bins.n_bins
    (array([1.5, 3. ]), array([3]))
    >>> bins.transform(X).columns
    array([[0, 1, 2, 3]], dtype=uint8)
    """

    cut_start: Integers
    cut_values: Floats
    code_start: Integers
    code_values: Codes
    n_categories: Integers

    @classmethod
    def fit(
        cls,
        X: Any,
        n_categories: IndexArray | None = None,
        weight: Array | None = None,
        *,
        max_bins: int = MAX_BINS,
        sample_rows: int = SAMPLE_ROWS,
    ) -> Bins:
        """Choose the cuts of each column.

        Parameters
        ----------
        X : array or CSC array of floats, shape (n, p)
            NaN is missing; categories are codes 0 .. c - 1.
        n_categories : array of int64, shape (p,), optional
            Number of categories of each column, 0 for numbers; default all numbers.
        weight : array, shape (n,), optional
            Row weights, default 1.
        max_bins : int in [2, 255], default 255
            Bins of a column without the one for missing values.
        sample_rows : int, default 200000
            Rows that the cuts are chosen from.
        """
        if not 2 <= max_bins <= MAX_BINS:
            raise ValueError(f"max_bins must lie in [2, {MAX_BINS}], got {max_bins!r}")
        n, p = X.shape
        counts = np.zeros(p, dtype=np.int64) if n_categories is None else np.asarray(n_categories, np.int64)
        rows = _sample(n, sample_rows, weight)
        share = None if weight is None else np.asarray(weight, dtype=np.float64)[rows]
        if share is not None and np.all(share == share[:1]):
            share = None  # equal weights bin like none, by a sort of the values alone
        cuts: list[Array] = []
        codes: list[Codes] = []
        for j, x in enumerate(_columns(X, rows)):
            known = ~np.isnan(x)
            w = None if share is None else share[known]
            if counts[j]:
                cuts.append(np.zeros(0))
                codes.append(_category_codes(x[known].astype(np.int64), w, int(counts[j]), max_bins))
            else:
                cuts.append(_cuts(x[known].astype(np.float64, copy=False), w, max_bins))
                codes.append(np.zeros(0, dtype=np.uint8))
        return cls(
            cut_start=np.cumsum([0, *map(len, cuts)], dtype=np.int64),
            cut_values=np.concatenate(cuts).astype(np.float64),
            code_start=np.cumsum([0, *map(len, codes)], dtype=np.int64),
            code_values=np.concatenate(codes),
            n_categories=counts,
        )

    @property
    def n_features(self) -> int:
        """The number of columns that have bins."""
        return len(self.n_categories)

    @cached_property
    def n_bins(self) -> Integers:
        """Bins of each column, shape (p,), without the one for missing values (whose code this is)."""
        bins = np.diff(self.cut_start) + 1
        for j in np.flatnonzero(self.n_categories):
            bins[j] = int(self.codes(int(j)).max()) + 1
        return bins

    def cuts(self, j: int) -> Array:
        """Return the cuts of numeric column j, shape (n_bins[j] - 1,)."""
        return self.cut_values[self.cut_start[j] : self.cut_start[j + 1]]

    def codes(self, j: int) -> Codes:
        """Return the code of each category of column j, shape (n_categories[j],)."""
        return self.code_values[self.code_start[j] : self.code_start[j + 1]]

    def of_columns(self, kept: IndexArray) -> Bins:
        """Return the bins of the columns that are kept, in their order."""
        cuts, codes = [self.cuts(int(j)) for j in kept], [self.codes(int(j)) for j in kept]
        return Bins(
            cut_start=np.cumsum([0, *map(len, cuts)], dtype=np.int64),
            cut_values=np.concatenate(cuts),
            code_start=np.cumsum([0, *map(len, codes)], dtype=np.int64),
            code_values=np.concatenate(codes),
            n_categories=self.n_categories[kept],
        )

    def transform(self, X: Any) -> Binned:
        """Return the codes of rows: unknown categories as missing, numbers beyond those of `fit` in the end
        bins.
        """
        n, p = X.shape
        if p != self.n_features:
            raise ValueError(f"X has {p} columns; the bins were chosen for {self.n_features}")
        columns = np.empty((p, n), dtype=np.uint8)
        numbers = np.flatnonzero(self.n_categories == 0)
        if isinstance(X, np.ndarray):
            _loops.bin_codes(X, numbers, self.cut_start, self.cut_values, columns)
            rest = np.flatnonzero(self.n_categories)
        else:
            rest = np.arange(p)
        for j in rest:
            columns[j] = self._codes_of(_column(X, int(j), slice(None)), int(j))
        return Binned(self, columns)

    def _codes_of(self, x: Array, j: int) -> Codes:
        """Return the codes of one column; missing values and unknown categories get the code after the last
        bin.
        """
        missing = np.isnan(x)
        if self.n_categories[j]:
            missing |= (x < 0) | (x >= self.n_categories[j])
            code = self.codes(j)[np.where(missing, 0, x).astype(np.int64)].astype(np.int64)
        else:
            code = np.searchsorted(self.cuts(j), x, side="left")
        return np.where(missing, self.n_bins[j], code).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class Binned:
    """Rows as codes of `bins`, by column and, on demand, by row.

    Parameters
    ----------
    bins : Bins
        What the codes mean.
    columns : array of uint8, shape (p, n)
        The codes, one column after the other.
    """

    bins: Bins
    columns: Codes

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and of columns; the codes themselves are stored column by column."""
        return self.columns.shape[1], self.columns.shape[0]

    @cached_property
    def rows(self) -> Codes:
        """The codes one row after the other, shape (n, p); made at the first call and kept."""
        out = np.empty(self.shape, dtype=np.uint8)
        _loops.transpose_codes(self.columns, out)
        return out

    def of_columns(self, kept: IndexArray) -> Binned:
        """Return the same rows with only the columns that are kept."""
        return Binned(self.bins.of_columns(kept), np.ascontiguousarray(self.columns[kept]))

    def take(self, rows: IndexArray) -> Binned:
        """Return the same columns with only the rows that are named."""
        return Binned(self.bins, np.ascontiguousarray(self.columns[:, rows]))


def _sample(n: int, sample_rows: int, weight: Array | None) -> Any:
    """Return the rows to choose the cuts from: all (a slice) or one at random from each of equal
    stretches.
    """
    if weight is not None and not np.all(weight):
        there = np.flatnonzero(weight)
        chosen = _sample(len(there), sample_rows, None)
        return there[chosen]
    if n <= sample_rows:
        return slice(None)
    edges = np.arange(sample_rows + 1) * n // sample_rows
    within = np.random.default_rng(0).random(sample_rows)
    return edges[:-1] + (within * np.diff(edges)).astype(np.int64)


def _columns(X: Any, rows: Any) -> Iterator[Array]:
    """Return the columns of some rows; those of an array in groups, whose rows are read once."""
    together = 8
    for first in range(0, X.shape[1], together):
        group = range(first, min(first + together, X.shape[1]))
        if isinstance(X, np.ndarray):
            yield from np.ascontiguousarray(X[rows, group.start : group.stop].T)
        else:
            yield from (_column(X, j, rows) for j in group)


def _column(X: Any, j: int, rows: Any) -> Array:
    if isinstance(X, np.ndarray):
        return np.asarray(X[rows, j])
    x = np.zeros(X.shape[0], dtype=X.dtype)
    stored = slice(X.indptr[j], X.indptr[j + 1])
    x[X.indices[stored]] = X.data[stored]
    return np.asarray(x[rows])


def _cuts(x: Array, weight: Array | None, max_bins: int) -> Array:
    """Return the midpoints between the bins of a numeric column."""
    value, mass = _distinct(x, weight)
    if len(value) > max_bins:
        mass = np.minimum(mass, _share(mass, max_bins))
        share = mass.sum() / max_bins
        middle = np.cumsum(mass) - 0.5 * mass
        of = np.minimum((middle / share).astype(np.int64), max_bins - 1)
        last = np.flatnonzero(np.diff(of))
    else:
        last = np.arange(len(value) - 1)
    low, high = value[last], value[last + 1]
    middle = 0.5 * low + 0.5 * high
    return np.where(middle < high, middle, low)  # neighbours in floating point: the lower one


def _distinct(x: Array, weight: Array | None) -> tuple[Array, Array]:
    """Return the distinct values in order, and the weight of the rows that hold each of them."""
    if weight is None:
        x = np.sort(x)
    else:
        order = np.argsort(x, kind="stable")
        x, weight = x[order], weight[order]
    first = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]])) if len(x) else np.zeros(0, np.int64)
    ends = np.append(first[1:], len(x))
    if weight is None:
        return x[first], (ends - first).astype(np.float64)
    below = np.concatenate([[0.0], np.cumsum(weight)])
    return x[first], below[ends] - below[first]


def _share(mass: Array, bins: int) -> float:
    """Return the share c with ``sum_i min(mass_i, c) = bins c``: values heavier than a share fill one bin
    each.
    """
    if mass.max() * bins <= (total := float(mass.sum())):
        return total / bins
    ordered = np.sort(mass)[::-1]
    heavy = np.arange(bins)
    light = ordered.sum() - np.concatenate([[0.0], np.cumsum(ordered[: bins - 1])])
    share = light / (bins - heavy)
    return float(
        share[np.argmax(ordered[:bins] <= share)]
    )  # the first number of heavy values that is consistent


def _category_codes(category: IndexArray, weight: Array | None, count: int, max_bins: int) -> Codes:
    """Return the category itself, or beyond `max_bins` categories the rank by weight, the last one shared."""
    if count <= max_bins:
        return np.arange(count, dtype=np.uint8)
    mass = np.bincount(category, weights=weight, minlength=count)
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(-mass, kind="stable")] = np.arange(count)
    return np.minimum(rank, max_bins - 1).astype(np.uint8)
