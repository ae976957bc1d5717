"""Gaussian parts with one shape, volumes and orientations of their own: VEV.

Celeux and Govaert, Pattern Recognition 28 (1995), model [lambda_k D_k A D_k'].
"""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.mixtures.volumes import alternated, root_of_determinant
from empirisk.typing import Array

__all__ = ["VEV"]


class VEV(GaussianFamily):
    """``Sigma_k = lambda_k D_k A D_k'``: ellipses of one shape, larger or smaller, in different directions.

    Examples
    --------
    >>> VEV().free(2, 3)
    16
    """

    name = "vev"
    letters = "VEV"

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return n_parts * n_columns + n_parts + n_columns - 1 + n_parts * (n_columns * (n_columns - 1) // 2)

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return the axes of each scatter, with volumes and the shape by turns."""
        p = scatter.shape[1]
        length, axes = np.linalg.eigh(scatter)

        def shape_of(volume: Array) -> Array:
            total = (length / volume[:, None]).sum(axis=0)
            return np.asarray(total / root_of_determinant(total))

        def volume_of(shape: Array) -> Array:
            return np.asarray((length / shape).sum(axis=1) / (p * mass))

        volume, shape = alternated(length.mean(axis=1) / mass, shape_of, volume_of)
        return np.asarray((axes * (volume[:, None] * shape)[:, None, :]) @ axes.transpose(0, 2, 1))
