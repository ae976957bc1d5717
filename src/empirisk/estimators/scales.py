"""Columns whose numbers are so small that their squares are rounded to 0, and say nothing about variances."""

from __future__ import annotations

from typing import Any

from empirisk.typing import Array

__all__ = ["TINY", "too_small"]

# Sums of squares below which digits are lost, and numbers below which the rounding of squares is that small.
TINY, SMALL = 1e-290, 1e-130


def too_small(square: Array, size: Array) -> Any:
    """Return whether squares about a mean are lost although the numbers are not all 0, column by column.

    Parameters
    ----------
    square : array, shape (p,)
        Sums or means of squares about the mean.
    size : array, shape (p,)
        Absolute values near those of the column, such as its mean.

    Examples
    --------
    A column of 1e-170, of zeros, of a constant and of numbers with a spread.

    >>> too_small(np.array([0.0, 0.0, 0.0, 2.0]), np.array([1e-170, 0.0, 3.0, 1.0])).tolist()
    [True, False, False, False]
    """
    return (square <= TINY) & (size > 0.0) & (size < SMALL)
