"""Gap-safe screening, and which columns enter a working set.

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

from empirisk.typing import Array, IndexArray

__all__ = ["ALL_AT_ONCE", "choose", "constraint_size", "safely_zero"]

ALL_AT_ONCE = 64  # up to so many columns there is nothing to select
FIRST_SET = 100  # columns, so few that a first solve over them is cheap
MARGIN = 10  # columns beyond those that violate their constraint: they may do so after the next solve


def constraint_size(v: Array, positive: bool) -> Array:
    """Return what each dual constraint compares with l1: ``|v_j|`` (or ``v_j``), the largest over outputs."""
    size = v if positive else np.abs(v)
    return size if size.ndim == 1 else np.asarray(size.max(axis=1))


def safely_zero(size: Array, norm: Array, l1: float, gap: float, gamma: float) -> NDArray[np.bool_]:
    """Return which columns are zero at the optimum, and stay dual feasible for every point with this gap.

    Parameters
    ----------
    size : array
        :func:`constraint_size` at a feasible dual point.
    norm : array
        Weighted root mean square of the columns (about their means with an intercept).
    l1 : float
        Strength of the L1 part.
    gap : float
        Duality gap of that point, rounding included.
    gamma : float
        Supremum of the loss's second derivative.
    """
    if not (l1 > 0.0 and math.isfinite(gap * gamma)):
        return np.zeros(len(size), dtype=bool)
    # The margin keeps rounding from screening out a column that meets its bound with equality.
    return size + (2.0 * math.sqrt(2.0 * gamma * gap)) * norm < l1 * (1.0 - 1e-9)


def choose(
    size: Array, norm: Array, l1: float, scale: float, alive: IndexArray, held: IndexArray
) -> IndexArray:
    """Return a working set: held columns, those that violate their dual constraint most, a few that come
    close.

    Parameters
    ----------
    size : array, shape (p,)
        :func:`constraint_size` of the dual point before it is scaled.
    norm : array, shape (p,)
        Size of the columns: distances to the constraints are measured in it.
    l1, scale : float
        Strength of the L1 part, and the scale that makes the dual point feasible.
    alive, held : arrays of int
        Columns that may be nonzero, and those that stay in the set.
    """
    if len(alive) <= ALL_AT_ONCE:
        return np.union1d(held, alive) if len(held) else alive
    outside = np.ones(len(size), dtype=bool)
    outside[held] = False
    outside = outside[alive]
    violating = int(np.count_nonzero(size[alive[outside]] > l1))
    distance = np.where(outside, (l1 - scale * size[alive]) / norm[alive], np.inf)
    free = int(np.count_nonzero(outside))
    count = min(free, max(FIRST_SET, len(held)), max(violating + MARGIN, FIRST_SET - len(held)))
    if count == free:
        chosen = alive[outside]
    else:
        chosen = np.sort(alive[np.argpartition(distance, count)[:count]])
    return np.concatenate([held, chosen])
