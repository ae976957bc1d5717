"""Importances of columns with their errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.results import Estimate

__all__ = ["Importances"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Importances:
    """One number a column (or group of columns), with standard errors.

    Parameters
    ----------
    value : array of shape (g,)
    standard_error : array of shape (g,)
        Over rows, and over trees where the number is a mean over trees.
    n : int
        Rows behind them.
    method, target : str
        How they were made, and what they are about.

    Examples
    --------
    >>> found = Importances(np.array([1.0]), np.array([0.1]), 400, "a method", "a target")
    >>> print(found.estimates(["age"])["age"])
    1.00 [0.80, 1.20]
    """

    value: Floats
    standard_error: Floats
    n: int
    method: str
    target: str

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """``value -+ t standard_error`` with n - 1 degrees of freedom, for each column alone."""
        half = special.stdtrit(self.n - 1, 0.5 + 0.5 * level) * self.standard_error
        return self.value - half, self.value + half

    def estimates(self, names: Sequence[str], level: float = 0.95) -> dict[str, Estimate]:
        """Return the same by name, in the order of the columns."""
        low, high = self.interval(level)
        return {
            name: Estimate(float(v), float(a), float(b), level, self.n, self.method, target=self.target)
            for name, v, a, b in zip(names, self.value, low, high, strict=True)
        }
