"""Gaussian parts along the axes with one volume and shapes of their own: EVI.

Celeux and Govaert, Pattern Recognition 28 (1995), model [lambda B_k].
"""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.mixtures.volumes import root_of_determinant
from empirisk.typing import Array

__all__ = ["EVI"]


class EVI(GaussianFamily):
    """``Sigma_k = lambda A_k`` with A_k diagonal: shapes along the axes differ, sizes do not.

    Examples
    --------
    >>> EVI().free(2, 3)
    11
    """

    name = "evi"
    letters = "EVI"
    full = False

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return 2 * n_parts * n_columns - n_parts + 1

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return each shape by its own scatter, and the volume of all."""
        size = root_of_determinant(scatter)
        return np.asarray(size.sum() / mass.sum() * scatter / size[:, None])
