"""Gaussian parts with common axes and one volume, shapes of their own: EVE.

Celeux and Govaert, Pattern Recognition 28 (1995), model [lambda D A_k D'].
"""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.common_axes import CommonAxes
from empirisk.mixtures.volumes import root_of_determinant
from empirisk.typing import Array

__all__ = ["EVE"]


class EVE(CommonAxes):
    """``Sigma_k = lambda D A_k D'``: ellipses of one size along the same axes, with shapes of their own.

    Examples
    --------
    >>> EVE().free(2, 3)
    14
    """

    name = "eve"
    letters = "EVE"

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return 2 * n_parts * n_columns - n_parts + 1 + n_columns * (n_columns - 1) // 2

    def profile(self, mass: Array, logs: Array) -> tuple[float, Array]:
        """Return ``N p log sum_k (prod_j t_kj)^(1/p)``, and N times the shares of the parts in that sum."""
        total, p = float(mass.sum()), logs.shape[1]
        size = logs.mean(axis=1)
        share = np.exp(size - size.max())
        return total * p * float(size.max() + np.log(share.sum())), total * share / share.sum()

    def lengths(self, mass: Array, square: Array) -> Array:
        """Return the variances along the axes in each part, whose products are the same."""
        size = root_of_determinant(square)
        return np.asarray(size.sum() / mass.sum() * square / size[:, None])
