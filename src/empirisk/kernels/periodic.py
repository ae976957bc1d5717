"""The periodic kernel: a Gaussian kernel on circles.

MacKay 1998, Introduction to Gaussian processes, section 5.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.kernels.algebra import MercerKernel
from empirisk.kernels.base import Loop
from empirisk.kernels.words import check_width, is_positive
from empirisk.typing import Array

__all__ = ["Periodic"]


@dataclass(frozen=True)
class Periodic(MercerKernel):
    """``k(x, x') = exp(-2 sum_j sin^2(pi (x_j - x'_j) / period) / length_scale^2)``.

    Parameters
    ----------
    period : float > 0, default 1.0
        In units of the columns.
    length_scale : float > 0, default 1.0

    Examples
    --------
    >>> Periodic(24.0).block(np.array([[0.0], [24.0], [12.0]])).round(4)
    array([[1.    , 1.    , 0.1353],
           [1.    , 1.    , 0.1353],
           [0.1353, 0.1353, 1.    ]])
    """

    period: float = 1.0
    length_scale: float = 1.0
    name = "periodic"
    stationary = True
    normalised = True

    def __post_init__(self) -> None:
        check_width(self.name, None, self.length_scale)
        if not is_positive(self.period):
            raise ValueError(
                f"period of the kernel 'periodic' must be a finite number > 0, got {self.period!r}"
            )

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The period and the length scale of the kernel."""
        return {"period": self.period, "length_scale": self.length_scale}

    @property
    def loop(self) -> Loop:
        """The compiled Gaussian kernel of the places on the circles."""
        return Loop("squared_distance", "gaussian", (0.5 / self.length_scale**2,))

    def mapped(self, X: Any) -> Array:
        """Return the cosine and the sine of each column's angle."""
        rows = np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64)
        angle = 2.0 * np.pi * np.fmod(rows, self.period) / self.period
        return np.hstack([np.cos(angle), np.sin(angle)])

    def derivatives(self, A: Any, B: Any = None) -> list[Array]:
        """Return those by the logarithms of the period and of the length scale."""
        a = np.asarray(A if isinstance(A, np.ndarray) else A.toarray(), dtype=np.float64)
        b = a if B is None else np.asarray(B if isinstance(B, np.ndarray) else B.toarray(), dtype=np.float64)
        turn = np.pi * (a[:, None, :] - b[None, :, :]) / self.period
        k, scale = self.block(A, B), 2.0 / self.length_scale**2
        by_period = scale * k * (turn * np.sin(2.0 * turn)).sum(axis=-1)
        return [by_period, 2.0 * scale * k * (np.sin(turn) ** 2).sum(axis=-1)]
