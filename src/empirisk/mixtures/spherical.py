"""Gaussian parts that are balls of their own sizes: VII."""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.typing import Array

__all__ = ["Spherical"]


class Spherical(GaussianFamily):
    """``sigma_k^2 = tr(S_k) / (p N_k)``: each part is a ball of its own size.

    Examples
    --------
    >>> Spherical().free(2, 3)
    8
    """

    name = "spherical"
    extrapolates = True
    letters = "VII"
    full = False
    isotropic = True

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return n_parts * (n_columns + 1)

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return the mean variance of the columns in each part."""
        return np.asarray(scatter.mean(axis=1, keepdims=True) / mass[:, None])
