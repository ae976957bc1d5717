"""Gaussian parts with one covariance: EEE."""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.typing import Array

__all__ = ["Tied"]


class Tied(GaussianFamily):
    """``Sigma = sum_k S_k / N``, the same for all parts.

    Examples
    --------
    >>> Tied().free(2, 3)
    12
    """

    name = "tied"
    extrapolates = True
    letters = "EEE"
    shared = True

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return n_parts * n_columns + n_columns * (n_columns + 1) // 2

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return the covariance that all parts share."""
        return np.asarray(scatter.sum(axis=0, keepdims=True) / mass.sum())
