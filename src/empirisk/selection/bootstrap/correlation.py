"""Pearson's correlation as a function of sums."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.selection.intervals.base import Floats

__all__ = ["Correlation"]


class Correlation:
    """``r = S_xy / sqrt(S_xx S_yy)`` with sums of products about the means.

    Parameters
    ----------
    x, y : arrays of shape (n,)
        Paired numbers, neither constant.
    """

    labels = ("correlation",)

    def __init__(self, x: Floats, y: Floats) -> None:
        u, v = ((z - z.mean()) / z.std() for z in (x, y))
        self.table: Floats = np.column_stack([u, v, u * u, v * v, u * v])

    def value(self, sums: Floats, units: float) -> Floats:
        """NaN where a column of the resample is constant."""
        m = sums / units
        xx, yy = m[:, 2] - m[:, 0] ** 2, m[:, 3] - m[:, 1] ** 2
        # Rounding of sums of numbers of size 1; a constant column has no more than that.
        flat = np.minimum(xx, yy) <= 1e-13
        with np.errstate(divide="ignore", invalid="ignore"):
            r = (m[:, 4] - m[:, 0] * m[:, 1]) / np.sqrt(xx * yy)
        return np.where(flat, np.nan, np.clip(r, -1.0, 1.0))[:, None]

    def with_error(self, rows: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """``se^2 = sum (a b - r (a^2 + b^2)/2)^2 / n^2``, a and b the standardised columns of the resample.

        This is the infinitesimal jackknife: it needs no normal distribution.
        """
        a, b = (z - z.mean(axis=1, keepdims=True) for z in (self.table[rows, 0], self.table[rows, 1]))
        n = rows.shape[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            a /= a.std(axis=1, keepdims=True)
            b /= b.std(axis=1, keepdims=True)
            r = np.mean(a * b, axis=1, keepdims=True)
            influence = a * b - 0.5 * r * (a * a + b * b)
            error = np.sqrt(np.sum(influence**2, axis=1, keepdims=True)) / n
        return self.value(self.table[rows].sum(axis=1), n), error
