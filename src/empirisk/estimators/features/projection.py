"""Kernel features of rows, projected on the span of those of a few landmarks.

Williams and Seeger 2001, NeurIPS 13 (the Nystrom method).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.threads import for_rows
from empirisk.kernels import Kernel
from empirisk.typing import Array, IndexArray

__all__ = ["Projection"]


@dataclass(frozen=True, repr=False)
class Projection(Brief):
    """``z(x) = L^(-1/2) U' k(centres, x)`` with ``K_mm = U L U'``, over the eigenvalues above a cut.

    Parameters
    ----------
    kernel : Kernel
        With numbers in place of words.
    centres
        What the kernel needs to know of the landmarks.
    whitening : array, shape (m, r)
        ``U L^(-1/2)``.
    cut : float
        Eigenvalues of at most this size were left out: rounding cannot tell them from 0.
    """

    kernel: Kernel
    centres: Any
    whitening: Array
    cut: float

    @classmethod
    def of(cls, kernel: Kernel, X: Any, rows: IndexArray) -> Self:
        """Return the projection on some of the training rows.

        Raises
        ------
        ValueError
            The kernel matrix of the landmarks has a negative eigenvalue, or none above rounding.
        """
        centres = kernel.centres(X, rows)
        K = kernel.block(X[rows], centres)
        eps = float(np.finfo(K.dtype).eps)
        K = K.astype(np.float64)
        with for_rows(len(rows)):
            values, vectors = np.linalg.eigh(0.5 * (K + K.T))
        cut = len(rows) * eps * float(np.abs(values).max())
        if values[0] < -10.0 * cut:
            raise ValueError(
                f"the kernel {kernel.title} is not positive semi-definite: its matrix of {len(rows)} rows "
                f"has the eigenvalue {values[0]:.3g} beside {values[-1]:.3g}; use a Mercer kernel"
            )
        kept = values > cut
        if not kept.any():
            raise ValueError(
                f"the kernel {kernel.title} is 0 on all landmarks: it gives no features; use another kernel"
            )
        return cls(kernel, centres, vectors[:, kept][:, ::-1] / np.sqrt(values[kept][::-1]), cut)

    def features(self, X: Any) -> Array:
        """Return z of every row in float64, shape (n, r)."""
        return np.asarray(self.kernel.block(X, self.centres).astype(np.float64) @ self.whitening)
