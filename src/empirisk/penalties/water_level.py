"""The threshold behind projections onto the simplex and the L1 ball, and behind their tangent cones."""

from __future__ import annotations

import numpy as np

from empirisk.typing import Array

__all__ = ["shared_level", "water_level"]


def water_level(a: Array, total: float) -> float:
    """Return the t with ``sum_j max(0, a_j - t) = total``, for ``total > 0``.

    Halves the candidates at their median, so that the cost is O(p) in the worst case too (the pivot method
    of Duchi, Shalev-Shwartz, Singer and Chandra, ICML 2008, section 4, with a selected instead of a random
    pivot).  Equal entries need no care: they are all above the level or all below it.

    Examples
    --------
    >>> water_level(np.array([3.0, 1.0, 2.5]), 1.5)
    2.0
    """
    rest, above, count = a, 0.0, 0
    while rest.size:
        middle = rest.size // 2
        rest = np.partition(rest, middle)
        pivot, upper = float(rest[middle]), rest[middle:]
        trial = above + float(upper.sum(dtype=np.float64))
        if trial - (count + upper.size) * pivot < total:  # the level is below the pivot
            above, count = trial, count + upper.size
            rest = rest[:middle]
        else:
            rest = rest[middle + 1 :]
    return (above - total) / count


def shared_level(free_sum: float, free: int, z: Array) -> float:
    """Return the t with ``free_sum - free * t + sum_j max(0, z_j - t) = 0``, for ``free >= 1``; O(p log
    p).

    The level is the largest of the means of the free entries with the m largest others.

    Examples
    --------
    >>> shared_level(2.0, 1, np.array([4.0, 0.0]))
    3.0
    """
    sums = free_sum + np.cumsum(-np.sort(-z), dtype=np.float64)
    means = sums / (free + np.arange(1, z.size + 1))
    return float(max(free_sum / free, np.max(means, initial=-np.inf)))
