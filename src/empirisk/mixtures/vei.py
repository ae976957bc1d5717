"""Gaussian parts along the axes with volumes of their own and one shape: VEI.

Celeux and Govaert, Pattern Recognition 28 (1995), model [lambda_k B].
"""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.mixtures.volumes import alternated, root_of_determinant
from empirisk.typing import Array

__all__ = ["VEI"]


class VEI(GaussianFamily):
    """``Sigma_k = lambda_k A`` with A diagonal: sizes differ, the shape along the axes does not.

    Examples
    --------
    >>> VEI().free(2, 3)
    10
    """

    name = "vei"
    letters = "VEI"
    full = False

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return n_parts * n_columns + n_parts + n_columns - 1

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return volumes and the shape, each the best for the other, by turns."""
        p = scatter.shape[1]

        def shape_of(volume: Array) -> Array:
            total = (scatter / volume[:, None]).sum(axis=0)
            return np.asarray(total / root_of_determinant(total))

        def volume_of(shape: Array) -> Array:
            return np.asarray((scatter / shape).sum(axis=1) / (p * mass))

        volume, shape = alternated(scatter.mean(axis=1) / mass, shape_of, volume_of)
        return np.asarray(volume[:, None] * shape)
