"""The covariance of weighted rows as an operator: moments of the columns, and products with it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.block_list import BlockList
from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks, Block, RowBlocks
from empirisk.typing import Array

__all__ = ["CentredRows", "ColumnMoments", "blocks_of"]

BLOCK = 65_536  # rows of a block of an array: the same for arrays in memory and in a memory map
CHUNK = 1 << 19  # numbers that are centred at a time
HEAVY = 1e100  # sums of weights beyond it overflow beside squares that are far from it themselves
LEAST, LARGEST = 1e-153, 1e150  # root mean squares beyond these have squares that vanish or overflow


def blocks_of(X: Any, weight: Array) -> RowBlocks:
    """Return an array as row blocks of a size that depends on nothing.

    Sparse rows are one block, because parts of them would be copies.
    """
    if not isinstance(X, np.ndarray):
        return ArrayBlocks(Design(X), np.zeros(X.shape[0]), weight)
    return BlockList.cut(X, np.broadcast_to(np.zeros(()), X.shape[0]), weight, rows=BLOCK)


@dataclass(frozen=True, eq=False)
class ColumnMoments:
    """Weight, means, and sums of squares about them; two sets of rows add up without cancellation.

    Examples
    --------
    >>> one, two = (ColumnMoments(1.0, np.array([m]), np.zeros(1)) for m in (1e9, 1e9 + 2.0))
    >>> both = one + two
    >>> float(both.mean[0]) - 1e9, float(both.square[0])
    (1.0, 2.0)
    """

    weight: float
    mean: Array
    square: Array

    @classmethod
    def of(cls, block: Block) -> ColumnMoments:
        """Return the moments of one block."""
        mean, square = _loops.col_moments(block.design.X, np.ascontiguousarray(block.weight))
        return cls(float(block.weight.sum(dtype=np.float64)), mean, square)

    def __add__(self, other: ColumnMoments) -> ColumnMoments:
        """Return the moments of both sets of rows together (Chan, Golub and LeVeque 1983)."""
        total = self.weight + other.weight
        if total == 0.0:
            return self
        apart = other.mean - self.mean
        share = other.weight / total
        square = self.square + other.square + (self.weight * share) * apart**2
        return ColumnMoments(total, self.mean + share * apart, square)


@dataclass(frozen=True, eq=False)
class CentredRows:
    """Weighted rows about their means: ``C = sum_i s_i (x_i - m)(x_i - m)' / S``.

    Parameters
    ----------
    rows : RowBlocks
    moments : ColumnMoments
    unit : float
        A power of two near the root of the mean variance; every number that the routes see is divided by it,
        so that squares neither overflow nor vanish.
    """

    rows: RowBlocks
    moments: ColumnMoments
    unit: float

    @classmethod
    def read(cls, rows: RowBlocks) -> CentredRows:
        """Read the rows once, for the moments of their columns."""
        with np.errstate(over="ignore", invalid="ignore"):
            moments = rows.map_sum(ColumnMoments.of)
            size = math.sqrt(float(moments.square.mean()) / moments.weight)
        if not size < LARGEST and moments.weight > HEAVY:
            raise ValueError(
                f"sample_weight sums to {moments.weight:.3g}, and its products with squares of X overflow: "
                "multiply sample_weight by n_samples / its sum, so that it counts rows, or rescale X"
            )
        if not size < LARGEST:
            raise ValueError("X holds numbers whose squares overflow; rescale it")
        if 0.0 < size < LEAST:
            raise ValueError("the columns of X vary so little that their squares vanish; rescale X")
        return cls(rows, moments, 2.0 ** round(math.log2(size)) if size > 0.0 else 1.0)

    @property
    def mean(self) -> Array:
        """The weighted mean of each of the columns."""
        return self.moments.mean

    @property
    def weight(self) -> float:
        """S, the sum of the weights."""
        return self.moments.weight

    @property
    def shape(self) -> tuple[int, int]:
        """Rows (those of weight 0 included) and columns."""
        return int(self.rows.n_rows or 0), self.rows.n_cols

    @property
    def sparse(self) -> bool:
        """Whether the rows are stored as a sparse matrix."""
        return bool(next(iter(self.rows)).design.sparse)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The number format of the rows, float32 or float64."""
        return next(iter(self.rows)).design.dtype

    @property
    def variances(self) -> Array:
        """Variances of the columns (divisor S) over the squared unit."""
        return np.asarray(self.moments.square / self.unit / self.unit / self.weight)

    @property
    def total(self) -> float:
        """Trace of C over the squared unit."""
        return float(self.variances.sum())

    @property
    def rounding(self) -> float:
        """Bound on the rounding of sums of squares over the rows, relative to the trace.

        Blocks of 256 rows are summed in the number format of the rows, and the blocks in float64.
        """
        n = self.shape[0]
        return float(np.finfo(self.dtype).eps) * 258.0 + float(np.finfo(float).eps) * (n / 256.0 + 8.0)

    def apply(self, V: Array) -> Array:
        """``C V`` over the squared unit, in one pass over the rows; V of shape (p,) or (p, m)."""

        def product(block: Block) -> Array:
            if block.design.sparse:
                return self._sparse_product(block, V)
            out = np.zeros(V.shape)
            for X, s in self.chunks(block):
                out += X.T @ (s * (X @ V).T).T
            return out

        return np.asarray(self.rows.map_sum(product)) / self.weight

    def _sparse_product(self, block: Block, V: Array) -> Array:
        X, mean = block.design.X, self.mean
        scores = block.weight / self.unit**2 * (X @ V - mean @ V).T
        return np.asarray(X.T @ scores.T - np.multiply.outer(mean, scores.sum(axis=-1)))

    def chunks(self, block: Block) -> Any:
        """Yield centred rows over the unit, in float64, with their weights, some at a time."""
        X, size = block.design.X, max(1, CHUNK // self.shape[1])
        for a in range(0, X.shape[0], size):
            part = X[a : a + size]
            part = part.toarray() if block.design.sparse else part
            yield (
                np.divide(part - self.mean, self.unit, dtype=np.float64),
                np.asarray(block.weight[a : a + size], dtype=np.float64),
            )
