"""The rows of the separation question: one row per observation and rival class, standardised."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.typing import Array, IndexArray

__all__ = ["SignedRows"]

_STEP = 65_536  # rows of a block


@dataclass(frozen=True, eq=False)
class SignedRows:
    """``a_ik . d = x_i . (d_{g_i} - d_k)`` for every observation i and every other group k.

    A direction is an array of shape (p + 1, C): one column of coefficients per group, in standardised
    columns, the constant last (0 without an intercept).  Column 0 is the reference and stays 0, so that
    two groups are the binary case.

    Parameters
    ----------
    design : Design
        All rows.
    index : int array
        The rows that count: weight above 0.
    group : int array
        Group 0 .. C-1 of those rows.
    n_groups : int
        C.
    intercept : bool
        Whether a constant may take part.
    mean, scale : array, shape (p,)
        Origin and unit of each column; scale 0 marks a column without information.
    """

    design: Design
    index: IndexArray
    group: IndexArray
    n_groups: int
    intercept: bool
    mean: Array
    scale: Array

    @cached_property
    def active(self) -> IndexArray:
        """Rows of a direction that may be non-zero: informative columns and the constant."""
        columns = np.flatnonzero(self.scale > 0.0)
        return np.append(columns, len(self.scale)) if self.intercept else columns

    @property
    def n_unknowns(self) -> int:
        """The number of free numbers that a direction consists of."""
        return len(self.active) * (self.n_groups - 1)

    @cached_property
    def _inverse(self) -> Array:
        return np.where(self.scale > 0.0, 1.0 / np.where(self.scale > 0.0, self.scale, 1.0), 0.0)

    @cached_property
    def _by_rows(self) -> Any:
        X = self.design.X
        return X.tocsr() if self.design.sparse and X.format != "csr" else X

    def standardised(self, chosen: IndexArray) -> Array:
        """Return the active columns of the chosen rows (positions in `index`), dense float64."""
        rows = self._by_rows[self.index[chosen]]
        X = np.asarray(rows.toarray() if self.design.sparse else rows, dtype=np.float64)
        X = (X - self.mean) * self._inverse
        return np.hstack([X, np.ones((len(X), 1))])[:, self.active]

    def dense(self, chosen: IndexArray) -> Array:
        """Return the signed rows of the chosen observations, shape (m (C - 1), unknowns)."""
        X, g, C = self.standardised(chosen), self.group[chosen], self.n_groups
        m, q = X.shape
        out = np.zeros((m, C, C, q))
        for own in range(C):
            mine = g == own
            for rival in range(C):
                if rival != own:
                    out[mine, rival, own] = X[mine]
                    out[mine, rival, rival] = -X[mine]
        keep = np.arange(C) != g[:, None]
        return np.asarray(out[keep][:, 1:].reshape(m * (C - 1), (C - 1) * q))

    def unpack(self, d: Array) -> Array:
        """Return a vector of unknowns as a direction, shape (p + 1, C)."""
        out = np.zeros((len(self.scale) + 1, self.n_groups))
        out[self.active, 1:] = d.reshape(self.n_groups - 1, len(self.active)).T
        return out

    def original(self, direction: Array) -> Array:
        """Return the direction in original columns, the constant last."""
        coef = direction[:-1] * self._inverse[:, None]
        return np.vstack([coef, direction[-1] - self.mean @ coef])

    @cached_property
    def _largest(self) -> Array:
        """Largest absolute entry of each column."""
        X = self.design.X
        if self.design.sparse:
            return np.asarray(abs(X).max(axis=0).toarray(), dtype=np.float64).ravel()
        return np.asarray(np.maximum(X.max(axis=0), -X.min(axis=0)), dtype=np.float64)

    def margins(self, direction: Array) -> tuple[Array, Array]:
        """``a_ik . d`` for all rows, shape (n, C - 1), and a bound on the rounding errors in it."""
        coef, constant = direction[:-1] * self._inverse[:, None], direction[-1]
        used = np.flatnonzero(np.abs(coef).sum(axis=1) > 0.0)
        coef = coef[used]
        shift = constant - self.mean[used] @ coef
        # Rounding of the products, and of the shift that replaces the constant.
        unit = 8.0 * float(np.finfo(np.float64).eps) * np.sqrt(len(used) + 1.0)
        fixed = np.abs(constant) + np.abs(self.mean[used]) @ np.abs(coef)
        crude = 2.0 * unit * float(np.max(self._largest[used] @ np.abs(coef) + fixed))
        n, C = len(self.index), self.n_groups
        value, bound = np.empty((n, C - 1)), np.full((n, C - 1), crude)
        for start in range(0, n, _STEP):
            part = slice(start, start + _STEP)
            Z = self._entries(self.index[part], used)
            value[part] = self._differences(Z @ coef + shift, self.group[part])
            near = np.flatnonzero(np.abs(value[part]).min(axis=1) <= crude)
            if len(near):
                size = np.abs(Z[near]) @ np.abs(coef) + fixed
                bound[start + near] = unit * self._sums(size, self.group[part][near])
        return value, bound

    def _entries(self, index: IndexArray, used: IndexArray) -> Array:
        whole = len(index) and index[-1] - index[0] == len(index) - 1
        rows = self._by_rows[index[0] : index[-1] + 1] if whole else self._by_rows[index]
        rows = rows if len(used) == rows.shape[1] else rows[:, used]
        return np.asarray(rows.toarray() if self.design.sparse else rows, dtype=np.float64)

    def _differences(self, score: Array, g: IndexArray) -> Array:
        """Return ``score of the own group - score of each rival``, which are all positive when a row is
        separated.
        """
        rivals = np.arange(self.n_groups) != g[:, None]
        own = score[np.arange(len(g)), g]
        return np.asarray((own[:, None] - score)[rivals].reshape(len(g), -1))

    def _sums(self, size: Array, g: IndexArray) -> Array:
        rivals = np.arange(self.n_groups) != g[:, None]
        own = size[np.arange(len(g)), g]
        return np.asarray((own[:, None] + size)[rivals].reshape(len(g), -1))

    def take(self, groups: dict[int, int]) -> SignedRows:
        """Return the rows of the named groups only, with new group numbers."""
        new = np.full(self.n_groups, -1)
        for old, number in groups.items():
            new[old] = number
        g = new[self.group]
        keep = g >= 0
        count = max(groups.values()) + 1
        return SignedRows(
            self.design, self.index[keep], g[keep], count, self.intercept, self.mean, self.scale
        )
