"""Gaussian parts with one volume, shapes and orientations of their own: EVV.

Celeux and Govaert, Pattern Recognition 28 (1995), model [lambda C_k].
"""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.mixtures.volumes import root_of_determinant
from empirisk.typing import Array

__all__ = ["EVV"]


class EVV(GaussianFamily):
    """``Sigma_k = lambda C_k`` with ``|C_k| = 1``: only the size is common.

    Examples
    --------
    >>> EVV().free(2, 3)
    17
    """

    name = "evv"
    letters = "EVV"

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return n_parts * n_columns + n_parts * (n_columns * (n_columns + 1) // 2) - n_parts + 1

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return each matrix by its own scatter, and the volume of all."""
        size = root_of_determinant(scatter)
        return np.asarray(size.sum() / mass.sum() * scatter / size[:, None, None])
