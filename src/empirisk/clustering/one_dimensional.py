"""The best split of numbers into K groups, by dynamic programming."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk import _loops
from empirisk.data.brief import Brief
from empirisk.data.memory import refuse_memory
from empirisk.typing import Array, IndexArray

__all__ = ["LineClusters", "best_line_clusters"]

_EPS = 2.0**-52


@dataclass(frozen=True, repr=False)
class LineClusters(Brief):
    """An optimal split of numbers into groups.

    Attributes
    ----------
    labels : array of int, shape (n,)
        The group of each number; groups are numbered from the smallest numbers to the largest.
    centers : array, shape (K,)
        Weighted means.
    inertia : float
        ``sum_i s_i (x_i - c_(label i))^2``.
    rounding : float
        ``inertia - rounding`` is at most the least possible value: what rounding can have hidden.
    """

    labels: IndexArray
    centers: Array
    inertia: float
    rounding: float


def best_line_clusters(values: Any, n_clusters: int, weight: Any = None) -> LineClusters:
    """Return the split of numbers into K groups with the least ``sum_i s_i (x_i - c_(label i))^2``.

    Some optimal groups are stretches of the sorted numbers.  With ``C(j, i)`` the sum of squares of numbers
    j + 1 to i about their mean,

        ``D_k(i) = min_j D_(k-1)(j) + C(j, i)``,

    and the best j does not fall when i rises (C is a Monge array), so that each of the K layers takes
    O(n log n) by divide and conquer.

    Parameters
    ----------
    values : array, shape (n,)
        Finite numbers, in any order.
    n_clusters : int
        K >= 1; where there are fewer different numbers, there are as many groups as those.
    weight : array, shape (n,), optional
        Weights >= 0, not all 0; a number of weight 0 joins the group whose mean is nearest.

    Returns
    -------
    LineClusters

    Raises
    ------
    ValueError
        For numbers that are not finite, and for values that are no column of numbers.
    MemoryError
        When the table of cuts, 4 K n bytes, does not fit.

    Notes
    -----
    Time O(K n log n), memory 4 K n + 64 n bytes.  C comes from prefix sums about the median in pairs of
    doubles, whose 106 bits are meant to cancel; costs are compared as doubles.  A second pass leaves out what
    costs more than the split of the first one wherever numbers of very different size blur its comparisons,
    so that `rounding` stays below 1e-10 of the inertia.

    References
    ----------
    H. Wang and M. Song, Ckmeans.1d.dp: optimal k-means clustering in one dimension by dynamic programming,
    The R Journal 3(2), 2011.  A. Gronlund et al., Fast exact k-means, k-medians and Bregman divergence
    clustering in 1D, arXiv:1701.07204, 2017.

    Examples
    --------
    >>> best = best_line_clusters(np.array([1.0, 9.0, 2.0, 8.0, 8.5]), 2)
    >>> best.labels, best.centers, best.inertia
    (array([0, 1, 0, 1, 1]), array([1.5, 8.5]), 1.0)
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        bad = f"{np.count_nonzero(~np.isfinite(values))} of its numbers are not finite"
        told = bad if values.ndim == 1 else f"it has shape {values.shape}"
        raise ValueError(f"values must be finite numbers, shape (n,), and {told}")
    weight = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64)
    live = weight > 0.0
    points, place = np.unique(values[live], return_inverse=True)
    size = math.ldexp(1.0, -math.frexp(float(weight.max()))[1])
    mass = np.bincount(place, weights=weight[live] * size, minlength=len(points)).astype(np.float64)
    reach = max(abs(float(points[0])), abs(float(points[-1])))
    unit = math.frexp(reach)[1] if reach else 0
    scaled = np.ldexp(points, -unit)
    cuts, rounding = _best_cuts(scaled, mass, min(n_clusters, len(points)))
    labels, centers, inertia = _groups(scaled, mass, cuts)
    back = math.ldexp(1.0, unit)
    out = np.empty(len(values), dtype=np.intp)
    out[live] = labels[place]
    middles = centers[:-1] + 0.5 * np.diff(centers)
    out[~live] = np.searchsorted(middles, np.ldexp(values[~live], -unit))
    rounding = min(rounding, inertia)
    return LineClusters(out, centers * back, inertia / size * back * back, rounding / size * back * back)


def _best_cuts(x: Array, mass: Array, count: int) -> tuple[IndexArray, float]:
    """Return where groups begin, ends included, and how far rounding can have misled the choice."""
    n = len(x)
    if count == n:
        return np.arange(n + 1), 0.0
    refuse_memory(
        f"the table of cuts of {n} numbers into {count} groups",
        4.0 * count * n + 100.0 * n,
        "ask for fewer groups, or round the numbers so that fewer are different",
    )
    half = np.searchsorted(np.cumsum(mass), 0.5 * mass.sum())
    sums = _loops.line_sums(x, mass, float(x[min(half, n - 1)]))
    cuts, cost = _program(sums, count, math.inf)
    # Comparisons err by a few units in the last place of the costs that they compare.
    share = 8.0 * _EPS * count * (1.0 + math.log2(n))
    lost = 2.0**-98 * n * count * float(sums[4, -1])
    blurred = share * float(sums[4, -1])
    for _ in range(3):
        if blurred <= max(1e-10, 2.0 * share) * cost:
            break
        ceiling = cost * (1.0 + 1e-6) + 2.0 * lost
        cuts, cost = _program(sums, count, ceiling)
        blurred = min(blurred, share * ceiling)
    return cuts, blurred + lost


def _program(sums: NDArray[np.float64], count: int, ceiling: float) -> tuple[IndexArray, float]:
    """Return the cuts that the layers find, and their cost; prefixes that cost more are left out."""
    n = sums.shape[1] - 1
    before = np.full(n + 1, np.inf)
    before[0] = 0.0
    start: NDArray[np.int32] = np.zeros((count, n + 1), dtype=np.int32)
    last = 0
    for k in range(1, count + 1):
        cost = np.full(n + 1, np.inf)
        last = _loops.line_layer(
            sums, k, last, before, start[k - 2] if k > 1 else None, ceiling, cost, start[k - 1]
        )
        before = cost
    cuts = np.empty(count + 1, dtype=np.intp)
    cuts[count] = n
    for k in range(count, 0, -1):
        cuts[k - 1] = start[k - 1, cuts[k]]
    return cuts, float(before[n])


def _groups(x: Array, mass: Array, cuts: IndexArray) -> tuple[IndexArray, Array, float]:
    """Return labels, means and the sum of squares, each from differences to a number of its own group."""
    length = np.diff(cuts)
    labels = np.repeat(np.arange(len(length)), length)
    anchor = x[cuts[:-1]]
    total = np.add.reduceat(mass, cuts[:-1])
    shift = np.add.reduceat(mass * (x - anchor[labels]), cuts[:-1]) / total
    inertia = float(np.sum(mass * ((x - anchor[labels]) - shift[labels]) ** 2))
    return labels, anchor + shift, inertia
