"""Batch normalization: each unit has mean 0 and variance 1 over the rows.

Ioffe and Szegedy, ICML 2015.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.problems.normalizations.base import LEAST_VARIANCE, Moments
from empirisk.typing import Array

__all__ = ["BatchNormalization"]


@dataclass(frozen=True)
class BatchNormalization:
    """``u_ij = (a_ij - m_j) / sqrt(v_j + 1e-5)``, m_j and v_j those of unit j over the rows i, by their
    weights.

    Steps take the rows of the batch, the objective, its certificate and predictions all training rows.

    Examples
    --------
    >>> a = np.array([[1.0, 5.0], [3.0, 5.0]])
    >>> BatchNormalization().standardise(a, (a.mean(axis=0), a.var(axis=0)))[0].round(3)
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    name = "batch"
    over_rows = True

    def standardise(self, a: Array, moments: Moments | None = None) -> tuple[Array, Array]:
        if moments is None:
            raise ValueError("moments must be the means and variances of all rows, for each unit")
        mean, variance = (np.asarray(part, dtype=a.dtype) for part in moments)
        inverse = 1.0 / np.sqrt(variance + a.dtype.type(LEAST_VARIANCE))
        return (a - mean) * inverse, inverse

    def slopes(
        self, d: Array, u: Array, inverse: Array, share: Array | None = None, totals: Moments | None = None
    ) -> Array:
        if share is None or totals is None:
            raise ValueError("share and totals must say how a row moves the means and variances of all rows")
        return inverse * (d - share[:, None] * (totals[0] + u * totals[1]))
