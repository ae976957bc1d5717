"""The kernel 1/(1 - x.x') on the unit ball: all homogeneous polynomial kernels added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.kernels.algebra import MercerKernel
from empirisk.kernels.pairs import inner, squared_norms
from empirisk.typing import Array

__all__ = ["Analytic"]


@dataclass(frozen=True)
class Analytic(MercerKernel):
    """``k(x, x') = 1 / (1 - x.x') = sum_d (x.x')^d`` for rows with ``||x|| < 1``.

    Examples
    --------
    >>> Analytic().block(np.array([[0.5], [0.0]])).round(4)
    array([[1.3333, 1.    ],
           [1.    , 1.    ]])
    """

    name = "analytic"

    def check(self, X: Any) -> None:
        """Refuse rows on or outside the unit sphere, where the sum does not converge."""
        size = squared_norms(X)
        outside = np.flatnonzero(~(size < 1.0))
        if len(outside):
            row = int(outside[0])
            raise ValueError(
                f"the kernel 'analytic' is defined for rows of norm below 1, and row {row} has norm "
                f"{float(size[row]) ** 0.5:g} ({len(outside)} such rows in all): scale X"
            )

    def block(self, A: Any, B: Any = None) -> Array:
        """Return ``1 / (1 - a.b)`` for all pairs of rows."""
        return np.asarray(1.0 / (1.0 - inner(A, B)))

    def diagonal(self, A: Any) -> Array:
        """Return the values ``1 / (1 - ||a||^2)`` of every row with itself."""
        return np.asarray(1.0 / (1.0 - squared_norms(A)))
