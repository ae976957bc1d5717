"""Gaussian parts with volumes of their own, one shape and one orientation: VEE.

Celeux and Govaert, Pattern Recognition 28 (1995), model [lambda_k C].
"""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.mixtures.volumes import alternated, root_of_determinant
from empirisk.typing import Array

__all__ = ["VEE"]


class VEE(GaussianFamily):
    """``Sigma_k = lambda_k C`` with ``|C| = 1``: ellipses differ by their sizes alone.

    Examples
    --------
    >>> VEE().free(2, 3)
    13
    """

    name = "vee"
    letters = "VEE"

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return n_parts * n_columns + n_columns * (n_columns + 1) // 2 + n_parts - 1

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return volumes and the common matrix, each the best for the other, by turns."""
        p = scatter.shape[1]

        start = np.trace(scatter, axis1=1, axis2=2) / (p * mass)

        def shape_of(volume: Array) -> Array:
            total = (scatter / volume[:, None, None]).sum(axis=0)
            return np.asarray(total / root_of_determinant(total[None])[0])

        def volume_of(shape: Array) -> Array:
            return np.asarray(np.trace(np.linalg.solve(shape, scatter), axis1=1, axis2=2) / (p * mass))

        volume, shape = alternated(start, shape_of, volume_of)
        return np.asarray(volume[:, None, None] * shape)
