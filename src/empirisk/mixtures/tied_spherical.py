"""Gaussian parts that are balls of one size: EII."""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.typing import Array

__all__ = ["TiedSpherical"]


class TiedSpherical(GaussianFamily):
    """``sigma^2 = sum_k tr(S_k) / (p N)``: all parts are balls of one size.

    Examples
    --------
    >>> TiedSpherical().free(2, 3)
    7
    """

    name = "tied_spherical"
    extrapolates = True
    letters = "EII"
    full = False
    shared = True
    isotropic = True

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return n_parts * n_columns + 1

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return the one variance of all columns and parts."""
        return np.asarray(scatter.sum(axis=0, keepdims=True).mean(axis=1, keepdims=True) / mass.sum())
