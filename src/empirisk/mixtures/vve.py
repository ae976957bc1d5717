"""Gaussian parts with common axes, volumes and shapes of their own: VVE.

Celeux and Govaert, Pattern Recognition 28 (1995), model [lambda_k D A_k D'].
"""

from __future__ import annotations

import numpy as np

from empirisk.mixtures.common_axes import CommonAxes
from empirisk.typing import Array

__all__ = ["VVE"]


class VVE(CommonAxes):
    """``Sigma_k = lambda_k D A_k D'``: ellipses along the same axes, with lengths of their own.

    Examples
    --------
    >>> VVE().free(2, 3)
    15
    """

    name = "vve"
    letters = "VVE"

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the free numbers of the means and covariances."""
        return 2 * n_parts * n_columns + n_columns * (n_columns - 1) // 2

    def profile(self, mass: Array, logs: Array) -> tuple[float, Array]:
        """Return ``sum_k N_k sum_j log t_kj``, and the masses of the parts."""
        return float((mass[:, None] * logs).sum()), mass

    def lengths(self, mass: Array, square: Array) -> Array:
        """Return the variances along the axes in each part."""
        return np.asarray(square / mass[:, None])
