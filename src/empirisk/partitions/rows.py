"""Rows of numbers as partitions read them: checked once, weights as repetitions, absent rows left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.table import read_table
from empirisk.data.weight_unit import WeightUnit
from empirisk.estimators.checks import check_weights
from empirisk.typing import Array, IndexArray

__all__ = ["Rows", "label_codes", "read_rows"]

BLOCK = 4_000_000  # numbers of a block of rows in float64: 32 MB


@dataclass(frozen=True)
class Rows:
    """Rows of positive weight, the weights as multiples of their unit.

    Parameters
    ----------
    X : array or CSR matrix, shape (n, p)
        float32 or float64, as given.
    weight : array, shape (n,)
        Repetitions: whole numbers where the weights have a common unit (:class:`WeightUnit`).
    given : array, shape (n,), or None
        The weights as they were given; None without.
    kept : array of bool, shape (m,)
        Which of the given rows they are.
    """

    X: Any
    weight: Array
    given: Array | None
    kept: Any

    @property
    def n(self) -> int:
        """The number of rows of positive weight."""
        return int(self.X.shape[0])

    @property
    def total(self) -> float:
        """The number of rows with their repetitions counted."""
        return float(self.weight.sum())

    def codes(self, labels: Any) -> tuple[IndexArray, int]:
        """Return the labels of the kept rows as 0..k-1, and k."""
        return label_codes(labels, len(self.kept), kept=self.kept)

    def alone(self) -> Rows:
        """Return these rows without memory of those that were left out."""
        return Rows(self.X, self.weight, self.given, np.ones(self.n, dtype=bool))

    def take(self, at: Any) -> Rows:
        """Return some of the rows with their weights."""
        given = None if self.given is None else self.given[at]
        return Rows(self.X[at], self.weight[at], given, np.ones(len(at), dtype=bool))

    def like(self, X: Any) -> Rows:
        """Return other rows that carry the same weights."""
        return Rows(X, self.weight, self.given, np.ones(len(self.weight), dtype=bool))

    def blocks(self, width: int = 0) -> list[slice]:
        """Return slices of rows whose dense blocks of p (or `width`) columns are small."""
        step = max(1, BLOCK // max(1, width or self.X.shape[1]))
        return [slice(at, min(at + step, self.n)) for at in range(0, self.n, step)]

    def dense(self, at: Any) -> Array:
        """Return some rows as dense float64 numbers."""
        block: Any = self.X[at]
        out: Array = np.asarray(block if isinstance(block, np.ndarray) else block.toarray(), dtype=np.float64)
        return out

    def sums(self, codes: IndexArray, k: int) -> Array:
        """Return ``sum w_i x_i`` of each cluster, shape (k, p), in float64."""
        X: Any = self.X
        if not isinstance(X, np.ndarray):
            picked = sp.csr_array((self.weight, (codes, np.arange(self.n))), shape=(k, self.n))
            return np.asarray((picked @ X.astype(np.float64)).toarray())
        out = np.zeros((k, self.X.shape[1]))
        for at in self.blocks():
            block = self.dense(at)
            picked = sp.csr_array(
                (self.weight[at], (codes[at], np.arange(len(block)))), shape=(k, len(block))
            )
            out += picked @ block
        return out

    def square_distances(self, centres: Array, codes: IndexArray) -> Array:
        """Return ``||x_i - c_{codes_i}||^2`` of each row, by differences, shape (n,)."""
        out = np.empty(self.n)
        for at in self.blocks():
            gap = self.dense(at) - centres[codes[at]]
            out[at] = np.einsum("ij,ij->i", gap, gap)
        return out


def read_rows(X: Any, sample_weight: Any = None) -> Rows:
    """Return checked rows: numbers alone, all finite, at least one of positive weight.

    Raises
    ------
    ValueError
        NaN or infinity by column and row, text and dates, weights out of range, no rows.

    Examples
    --------
    >>> read_rows([[0.0], [1.0], [5.0]], [1.0, 0.0, 2.0]).n
    2
    """
    if isinstance(X, Rows):
        return X
    X = read_table(X)
    given = None if sample_weight is None else check_weights(sample_weight, X.shape[0])
    if given is None:
        return Rows(X, np.ones(X.shape[0]), None, np.ones(X.shape[0], dtype=bool))
    kept = given > 0.0
    multiple = WeightUnit.of(given[kept]).multiple
    weight = np.ones(int(kept.sum())) if multiple is None else np.asarray(multiple, dtype=np.float64)
    if kept.all():
        return Rows(X, weight, given, kept)
    return Rows(X[kept], weight, given[kept], kept)


def label_codes(labels: Any, n: int | None, name: str = "labels", kept: Any = None) -> tuple[IndexArray, int]:
    """Return labels of any kind as 0..k-1 in sorted order, and k; missing ones are refused by row.

    Examples
    --------
    >>> label_codes(["b", "a", "b"], 3)
    (array([1, 0, 1]), 2)
    """
    values, codes = named_codes(labels, n, name, kept)
    return codes, len(values)


def named_codes(labels: Any, n: int | None, name: str, kept: Any = None) -> tuple[Any, IndexArray]:
    """Return the different labels, sorted, and the position of each row's label among them."""
    given = np.asarray(labels)
    if given.ndim != 1 or (n is not None and len(given) != n):
        want = "one label for each row" if n is None else f"one label for each of the {n} rows"
        raise ValueError(f"{name} has shape {given.shape}; give {want}")
    if len(given) == 0:
        raise ValueError(f"{name} is empty; give at least one row")
    missing = (
        np.array([v is None or v != v for v in given])
        if given.dtype == object
        else np.isnan(given)
        if given.dtype.kind == "f"
        else np.zeros(len(given), dtype=bool)
    )
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(f"{name} is missing in row {row}; give every row a label, or leave the row out")
    if kept is not None:
        given = given[kept]
    if given.dtype == object:
        try:
            values, codes = np.unique(given, return_inverse=True)
        except TypeError:
            given = given.astype(str)
            values, codes = np.unique(given, return_inverse=True)
    else:
        values, codes = np.unique(given, return_inverse=True)
    return values, np.asarray(codes.reshape(-1), dtype=np.intp)
