"""The linear kernel: the inner product itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.kernels.algebra import MercerKernel
from empirisk.kernels.base import Loop
from empirisk.kernels.pairs import squared_norms
from empirisk.typing import Array

__all__ = ["Linear"]


@dataclass(frozen=True)
class Linear(MercerKernel):
    """``k(x, x') = x . x'``: the inner product of the rows.

    Examples
    --------
    >>> Linear().block(np.array([[1.0, 2.0]]))
    array([[5.]])
    """

    name = "linear"

    @property
    def loop(self) -> Loop:
        """The inner product as it is."""
        return Loop("inner", "linear")

    def product(self, A: Any, B: Any, weights: Array) -> Array:
        """Return ``A (B' weights)``, whose cost does not grow with the pairs of rows."""
        made = A.astype(np.float64) @ (B.T.astype(np.float64) @ weights)
        return np.asarray(made)

    def diagonal(self, A: Any) -> Array:
        """Return the squared norm ``||a_i||^2`` of every row."""
        return squared_norms(A)

    def explicit(self, X: Any) -> Any:
        """Return X itself: its columns are the features."""
        return X
