"""Rows whose columns are brought to one scale, for distances that no unit decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.memory import refuse_memory
from empirisk.typing import Array, IndexArray

__all__ = ["RowScale"]

# Squares of larger numbers, summed over columns, overflow.
FARTHEST = 1e150


@dataclass(frozen=True, eq=False, repr=False)
class RowScale(Brief):
    """``z = (x - centre) / spread`` column by column, in a power of two as unit that keeps squares finite.

    Parameters
    ----------
    exponent : int array, shape (p,)
        Powers of two that the columns are divided by first, which is exact.
    centre, spread : arrays, shape (p,)
        In these units: the weighted mean, and the standard deviation (1 for constant columns, and everywhere
        where columns are not standardised).
    standardised : bool
        Whether each column has a unit of its own.

    Examples
    --------
    >>> scale = RowScale.of(np.array([[1.0, 7.0], [3.0, 7.0]]), np.ones(2), True)
    >>> scale.apply(np.array([[1.0, 7.0], [5.0, 8.0]])).tolist()
    [[-1.0, 0.0], [3.0, 0.125]]
    """

    exponent: IndexArray
    centre: Array
    spread: Array
    standardised: bool

    @classmethod
    def of(cls, X: Any, weight: Array, standardise: bool) -> Self:
        """Learn centres and spreads from rows with weights >= 0, not all 0.

        Columns that are not standardised have one unit, near the largest difference in any of them.
        """
        X = dense(X)
        largest = np.abs(X).max(axis=0, initial=0.0)
        if not standardise:
            largest = np.full(X.shape[1], largest.max(initial=0.0))
        exponent = np.where(largest > 0.0, np.frexp(largest)[1], 0).astype(np.int64)
        unit = np.ldexp(X, -exponent)
        total = float(weight.sum())
        centre = np.einsum("i,ij->j", weight, unit) / total
        spread = np.ones(X.shape[1])
        if standardise:
            live = unit[weight > 0.0]
            found = np.sqrt(np.einsum("i,ij->j", weight, (unit - centre) ** 2) / total)
            # Equal numbers have a mean that rounding may move: their deviation from it is no spread.
            varies = live.min(axis=0) < live.max(axis=0)
            centre, spread = np.where(varies, centre, live[0]), np.where(varies & (found > 0.0), found, 1.0)
        return cls(exponent, centre, spread, standardise)

    @property
    def scale(self) -> Array:
        """What columns are divided by, in their own units."""
        return np.asarray(np.ldexp(self.spread, self.exponent))

    @property
    def log_volume(self) -> float:
        """The logarithm of the volume, in the units of the columns, of a unit cube of the common scale."""
        return float(np.log(self.spread).sum() + np.log(2.0) * self.exponent.sum())

    def apply(self, X: Any) -> Array:
        """Return the rows on the common scale, float64 in C order.

        Raises
        ------
        ValueError
            For rows so far away that their squared distances overflow.
        """
        z = (np.ldexp(dense(X), -self.exponent) - self.centre) / self.spread
        far = ~(np.abs(z) < FARTHEST)
        if far.any():
            row, column = (int(v) for v in np.argwhere(far)[0])
            raise ValueError(
                f"X is more than {FARTHEST:g} times the spread of the training rows away from them in column "
                f"{column}, row {row}: no distance can be told; correct or drop the row"
            )
        return np.ascontiguousarray(z)

    def undo(self, z: Array) -> Array:
        """Return rows of the common scale in their own units."""
        return np.asarray(np.ldexp(z * self.spread + self.centre, self.exponent))

    def inner(self, bandwidth: Any) -> Array:
        """Return bandwidths in the units of :meth:`apply`: those of columns that are not standardised are
        given in the units of X.
        """
        width = np.atleast_1d(np.asarray(bandwidth, dtype=np.float64))
        return width if self.standardised else np.asarray(np.ldexp(width, -self.exponent[0]))

    def outer(self, bandwidth: Array) -> Array:
        """Return bandwidths in the units that users see."""
        return bandwidth if self.standardised else np.asarray(np.ldexp(bandwidth, self.exponent[0]))


def dense(X: Any) -> Array:
    """Return rows as a dense float64 array; sparse rows that would not fit are refused with a forecast."""
    if isinstance(X, np.ndarray):
        return np.asarray(X, dtype=np.float64)
    n, p = X.shape
    refuse_memory(f"a dense copy of {n:,} x {p:,} sparse cells", 8.0 * n * p, "take fewer rows or columns")
    return np.asarray(X.toarray(), dtype=np.float64)
