"""Gaussian parts, each with a covariance of its own: VVV."""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.typing import Array

__all__ = ["Full"]


class Full(GaussianFamily):
    """``Sigma_k = S_k / N_k``: volume, shape and orientation are free.

    Examples
    --------
    >>> Full().free(2, 3)
    18
    """

    name = "full"
    extrapolates = True
    letters = "VVV"

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return n_parts * (n_columns + n_columns * (n_columns + 1) // 2)

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return the scatter of each part over its rows."""
        return np.asarray(scatter / mass[:, None, None])
