"""Sums of rows (x, y) that a linear regression needs, added up block by block without cancellation.

Chan, Golub and LeVeque, The American Statistician 37 (1983), on sums of squares of joined samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.row_blocks import Block, RowBlocks
from empirisk.estimators.scales import too_small
from empirisk.typing import Array

__all__ = ["LinearSums", "refuse_scales"]

CHUNK = 1 << 19  # numbers that are moved at a time: the same for arrays in memory and in a memory map


@dataclass(frozen=True, eq=False)
class LinearSums:
    """Weight, means and sums of products about the means of rows ``z = (x, y)``.

    Parameters
    ----------
    shift : array, shape (p + 1,)
        A point near the rows from which means are counted, so that a distant origin costs no digits.
    weight : float
        Sum of the weights.
    offset : array, shape (p + 1,)
        Weighted mean of ``z - shift``.
    scatter : array, shape (p + 1, p + 1)
        ``sum_i s_i (z_i - m)(z_i - m)'`` with the mean m.

    Examples
    --------
    >>> from empirisk.data.block_list import BlockList
    >>> x = 1e9 + np.arange(4.0)[:, None]
    >>> sums = LinearSums.read(BlockList.cut(x, 2.0 * np.arange(4.0), rows=3))
    >>> sums.scatter.tolist(), float(sums.mean[0]) - 1e9
    ([[5.0, 10.0], [10.0, 20.0]], 1.5)
    """

    shift: Array
    weight: float
    offset: Array
    scatter: Array

    @classmethod
    def read(cls, rows: RowBlocks, shift: Array | None = None) -> LinearSums:
        """Return the sums of all rows, in one pass; the shift is a row of the first block by default."""
        point = _first(rows) if shift is None else shift
        with np.errstate(over="ignore", invalid="ignore"):
            found: LinearSums = rows.map_sum(lambda block: cls.of(block, point))
        return found

    @classmethod
    def of(cls, block: Block, shift: Array) -> LinearSums:
        """Return the sums of one block; rows of weight 0 are absent, whatever they hold."""
        total = cls(shift, 0.0, np.zeros(len(shift)), np.zeros((len(shift), len(shift))))
        X: Any = block.design.X
        step = max(1, CHUNK // len(shift))
        for a in range(0, X.shape[0], step):
            s = np.array(block.weight[a : a + step], dtype=np.float64)
            live = np.flatnonzero(s > 0.0)
            if not len(live):
                continue
            there = slice(None) if len(live) == len(s) else live
            Z = np.empty((len(live), len(shift)))
            Z[:, :-1] = X[a : a + step][there]
            Z[:, -1] = block.y[a : a + step][there]
            Z -= shift
            s = s[there]
            offset = _loops.col_moments(Z, s)[0]
            total = total + cls(shift, float(s.sum()), offset, _loops.gram(Z, s, offset))
        return total

    def __add__(self, other: LinearSums) -> LinearSums:
        """Return the sums of both sets of rows together."""
        total = self.weight + other.weight
        if self.weight == 0.0 or other.weight == 0.0:
            return other if self.weight == 0.0 else self
        apart = other.offset - self.offset
        share = other.weight / total
        scatter = self.scatter + other.scatter + (self.weight * share) * np.outer(apart, apart)
        return LinearSums(self.shift, total, self.offset + share * apart, scatter)

    @property
    def mean(self) -> Array:
        """The weighted mean of each column of X, and behind them that of y."""
        return self.shift + self.offset

    def moments(self, intercept: bool) -> Array:
        """Return the products ``Z' diag(s) Z``, about the means with an intercept, else about 0."""
        if intercept:
            return self.scatter
        return np.asarray(self.scatter + self.weight * np.outer(self.mean, self.mean))


def _first(rows: RowBlocks) -> Array:
    """Return the first row of positive weight."""
    for block in rows:
        live = np.flatnonzero(np.asarray(block.weight) > 0.0)
        if len(live):
            i = int(live[0])
            return np.append(np.asarray(block.design.X[i], dtype=np.float64), float(block.y[i]))
    raise ValueError("every row has weight 0: nothing is left to fit")


def refuse_scales(sums: LinearSums, labels: list[str]) -> None:
    """Refuse sums that are no numbers, or rounded to 0, by the column: rows in blocks are checked here."""
    square = np.diagonal(sums.scatter)
    bad = ~np.isfinite(sums.offset) | ~np.isfinite(square)
    small = too_small(square, np.abs(sums.mean) + np.abs(sums.shift))
    for at in np.flatnonzero(bad | small)[:1]:
        what = "y" if at == len(labels) else f"column {labels[at]} of X"
        if bad[at]:
            raise ValueError(f"{what} holds NaN, infinity or numbers whose squares overflow; rescale it")
        raise ValueError(f"{what} holds numbers whose squares are rounded to 0; rescale it")
