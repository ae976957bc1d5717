"""Gaussian parts with variances of their own and no correlation: VVI."""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.typing import Array

__all__ = ["Diagonal"]


class Diagonal(GaussianFamily):
    """``sigma_kj^2 = S_kjj / N_k``: each part has variances of its own and no correlation.

    Examples
    --------
    >>> Diagonal().free(2, 3)
    12
    """

    name = "diagonal"
    extrapolates = True
    letters = "VVI"
    full = False

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return 2 * n_parts * n_columns

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return the variances of the columns in each part."""
        return np.asarray(scatter / mass[:, None])
