"""Gap-safe screening: columns that provably have a zero coefficient at the optimum.

For a loss whose second derivative is at most ``gamma``, the dual objective is ``1/gamma`` strongly
concave in the weighted norm, so that a dual point with duality gap g lies within ``r = sqrt(2 gamma g)``
of the dual optimum.  A column with ``|x_j . theta| + |x_j| r < l1`` is zero at the optimum.

Columns are dropped only when ``|x_j . theta| + 2 |x_j| r < l1``: then every dual point that a later step
finds with a gap no larger, being within r of the optimum too, is feasible for that column, and
the certificate of the whole problem needs no further look at it.

Fercoq, Gramfort & Salmon 2015, Mind the duality gap; Ndiaye et al. 2017, Gap safe screening rules.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from empirisk.typing import Array

__all__ = ["closest", "safely_zero"]


def safely_zero(v: Array, norm: Array, l1: float, gap: float, gamma: float, positive: bool) -> NDArray[np.bool_]:
    """Which columns are zero at the optimum, and stay dual feasible for every point with this gap.

    Parameters
    ----------
    v : array
        ``x_j . theta`` of a feasible dual point; for vector scores the largest over the outputs.
    norm : array
        Weighted root mean square of the columns (about their means with an intercept).
    l1 : float
        Strength of the L1 part.
    gap : float
        Duality gap of that point, rounding included.
    gamma : float
        Supremum of the loss's second derivative.
    positive : bool
        Whether coefficients are restricted to ``w >= 0``.
    """
    if not (l1 > 0.0 and math.isfinite(gap)):
        return np.zeros(len(v), dtype=bool)
    size = v if positive else np.abs(v)
    return size + (2.0 * math.sqrt(2.0 * gamma * gap)) * norm < l1 * (1.0 - 1e-9)


def closest(v: Array, norm: Array, l1: float, positive: bool) -> Array:
    """Distance of theta to the constraint of each column; the smallest enter a working set first."""
    size = v if positive else np.abs(v)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = (l1 - size) / norm
    return np.where(norm > 0.0, distance, np.inf)
