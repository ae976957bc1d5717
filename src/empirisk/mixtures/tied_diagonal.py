"""Gaussian parts with one diagonal covariance: EEI."""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.typing import Array

__all__ = ["TiedDiagonal"]


class TiedDiagonal(GaussianFamily):
    """``sigma_j^2 = sum_k S_kjj / N``: the parts share the variances of the columns.

    Examples
    --------
    >>> TiedDiagonal().free(2, 3)
    9
    """

    name = "tied_diagonal"
    extrapolates = True
    letters = "EEI"
    full = False
    shared = True

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return (n_parts + 1) * n_columns

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return the pooled variances of the columns."""
        return np.asarray(scatter.sum(axis=0, keepdims=True) / mass.sum())
