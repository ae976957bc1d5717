"""The columns of a problem: products with some of them, their moments, and which carry information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array, IndexArray

__all__ = ["Columns"]

BLOCK = 64  # columns that are gathered at a time


@dataclass(frozen=True, eq=False)
class Columns:
    """Column access to X without a copy: dense in any layout, or CSC (CSR is converted once).

    Parameters
    ----------
    X : ndarray or CSC array
        The matrix.
    mean : array, shape (p,)
        Weighted means; zero without an intercept.
    norm : array, shape (p,)
        Root mean square about `mean`, zero for a column that is constant up to rounding.
    """

    X: Any
    mean: Array
    norm: Array

    @classmethod
    def of(cls, problem: LinearProblem) -> Columns:
        """Read X twice when the moments are not cached yet, and return its columns."""
        mean, variance = problem.moments
        eps = float(np.finfo(problem.design.dtype).eps)
        live = variance > (4.0 * eps * np.abs(mean)) ** 2
        X = problem.design.csc if problem.design.sparse else problem.design.X
        return cls(X, mean, np.sqrt(np.where(live, variance, 0.0)))

    @property
    def sparse(self) -> bool:
        """Whether X is a sparse matrix in columns (CSC)."""
        return hasattr(self.X, "indptr")

    @property
    def rows_first(self) -> bool:
        """Dense with contiguous rows: a few columns cost as much memory traffic as many."""
        return not self.sparse and self.X.strides[0] != self.X.itemsize

    def scores(self, coef: Array) -> Array:
        """``X coef`` in float64, reading only the columns with a nonzero coefficient."""
        if coef.ndim == 2:
            return np.stack([self.scores(column) for column in coef.T], axis=1)
        support = np.flatnonzero(coef)
        return _loops.columns_matvec(self.X, support, coef[support])

    def scores_of(self, index: IndexArray, w: Array) -> Array:
        """``X[:, index] w`` in float64, skipping zeros of w."""
        support = np.flatnonzero(w)
        return _loops.columns_matvec(self.X, index[support], w[support])

    def correlations(self, u: Array, index: IndexArray | None = None) -> Array:
        """``(x_j - mean_j)' u`` for the named columns (default all), in float64; u is (n,) or (n, k)."""
        if u.ndim == 2 and not (index is None and self.rows_first):
            return np.stack([self.correlations(column, index) for column in u.T], axis=1)
        if index is None and self.rows_first:
            raw, mean = _loops.rmatvec(self.X, u), self.mean
        else:
            raw = _loops.columns_rmatvec(self.X, index, u)
            mean = self.mean if index is None else self.mean[index]
        total = u.sum(axis=0)
        return raw - (total * mean if u.ndim == 1 else np.outer(mean, total))

    def means(self, h: Array, index: IndexArray) -> Array:
        """Return the means of the named columns, rows weighted by h."""
        return _loops.columns_rmatvec(self.X, index, h) / float(h.sum())

    def moments(self, h: Array, index: IndexArray) -> tuple[Array, Array]:
        """Return the means of the named columns and sums of squares about them, rows weighted by h."""
        if self.sparse:
            block = self.X[:, index]
            total = float(h.sum())
            mean = np.asarray(block.T @ h, dtype=np.float64) / total
            second = np.asarray(block.multiply(block).T @ h, dtype=np.float64)
            return mean, np.maximum(second - total * mean**2, 0.0)
        parts = [
            _loops.col_moments(self.X[:, index[start : start + BLOCK]], h)
            for start in range(0, len(index), BLOCK)
        ]
        if not parts:
            return np.zeros(0), np.zeros(0)
        means, squares = zip(*parts, strict=True)
        return np.concatenate(means), np.concatenate(squares)
