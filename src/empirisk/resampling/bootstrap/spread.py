"""Variance and standard deviation as functions of sums."""

from __future__ import annotations

import numpy as np

from empirisk.evaluation.intervals.base import Floats

__all__ = ["Spread"]


class Spread:
    """``s^2 = sum (x_i - mean)^2 / (n - 1)``, or its root.

    Parameters
    ----------
    x : array of shape (n,)
        The numbers.
    root : bool
        The standard deviation instead of the variance.
    with_error : bool
        Keep the third and fourth powers: ``se(s^2)^2 = (m_4 - m_2^2)/n``, ``se(s) = se(s^2)/(2 s)``.
    """

    def __init__(self, x: Floats, root: bool, with_error: bool) -> None:
        self.labels = ("standard_deviation" if root else "variance",)
        self.root = root
        u = x - x.mean()
        self.table: Floats = np.column_stack([u**k for k in range(1, 5 if with_error else 3)])

    def _second(self, sums: Floats, units: float) -> Floats:
        """``sum (x - mean)^2``, rounding below zero cut off."""
        return np.maximum(sums[:, 1:2] - sums[:, :1] ** 2 / units, 0.0)

    def value(self, sums: Floats, units: float) -> Floats:
        """Return the statistic of each resample from the first two power sums."""
        variance = self._second(sums, units) / (units - 1.0)
        return np.sqrt(variance) if self.root else variance

    def error(self, sums: Floats, units: float) -> Floats:
        """Return the standard error of each resample from its central moments."""
        m = sums / units
        d = m[:, :1]
        second = self._second(sums, units) / units
        fourth = m[:, 3:4] - 4.0 * d * m[:, 2:3] + 6.0 * d**2 * m[:, 1:2] - 3.0 * d**4
        error = np.sqrt(np.maximum(fourth - second**2, 0.0) / units)
        if not self.root:
            return error
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(second > 0.0, error / (2.0 * self.value(sums, units)), 0.0)
