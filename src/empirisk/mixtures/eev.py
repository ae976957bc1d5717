"""Gaussian parts with one volume and one shape, turned each in its own way: EEV.

Celeux and Govaert, Pattern Recognition 28 (1995), model [lambda D_k A D_k'].
"""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.typing import Array

__all__ = ["EEV"]


class EEV(GaussianFamily):
    """``Sigma_k = lambda D_k A D_k'``: equal ellipses in different directions.

    Examples
    --------
    >>> EEV().free(2, 3)
    15
    """

    name = "eev"
    letters = "EEV"

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return n_parts * n_columns + n_columns + n_parts * (n_columns * (n_columns - 1) // 2)

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return the axes of each scatter with the mean of their sorted lengths."""
        length, axes = np.linalg.eigh(scatter)
        common = length.sum(axis=0) / mass.sum()
        return np.asarray((axes * common) @ axes.transpose(0, 2, 1))
