"""The rectangle with the largest sum of gains: a sweep with one tree of sums for each left side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.intervals import best_runs
from empirisk.typing import Array, IndexArray

__all__ = ["best_in_plane"]

_CELLS = 4_000_000  # numbers that are held at once: 32 MB


def best_in_plane(points: Array, gain: Array) -> NDArray[np.bool_]:
    """Members of the axis-aligned rectangle with the largest sum of gains, which some point makes positive.

    For each left side, points are added from left to right; a tree over their heights keeps the best sum of a
    run of heights: adding a point costs ``O(log n)``.  The trees of all left sides are updated at once.

    Parameters
    ----------
    points : array, shape (n, 2)
        Distinct points.
    gain : array, shape (n,)
        Their gains, one of them > 0.

    Returns
    -------
    array of bool, shape (n,)
    """
    columns, place = np.unique(points[:, 0], return_inverse=True)
    heights, height = np.unique(points[:, 1], return_inverse=True)
    leaves = 1 << max(0, int(len(heights) - 1).bit_length())
    # The sides of a best rectangle can be moved to points of positive gain.
    lefts = np.unique(place[gain > 0.0])
    columns_of = [np.flatnonzero(place == c) for c in range(len(columns))]
    best = (-np.inf, 0, 0)
    size = max(1, _CELLS // (2 * leaves))
    for start in range(0, len(lefts), size):
        best = max(best, _sweep(lefts[start : start + size], columns_of, height, gain, leaves))
    _, left, right = best
    between = (place >= left) & (place <= right)
    sums = np.bincount(height[between], weights=gain[between], minlength=len(heights))
    low, high = best_runs(sums.astype(np.float64), 1)[1][0]
    return np.asarray(between & (height >= low) & (height <= high))


def _sweep(
    lefts: IndexArray, columns: Sequence[IndexArray], height: IndexArray, gain: Array, leaves: int
) -> tuple[float, int, int]:
    """Return the best sum with one of these left sides; its left and right side."""
    # Sum, best prefix, best suffix and best run of the leaves under each node, for each left side.
    total, head, tail, run = (np.zeros((2 * leaves, len(lefts))) for _ in range(4))
    best = (-np.inf, 0, 0)
    for right in range(int(lefts[0]), len(columns)):
        s = slice(0, int(np.searchsorted(lefts, right, side="right")))
        for i in columns[right]:
            node = leaves + int(height[i])
            total[node, s] += gain[i]
            head[node, s] = tail[node, s] = run[node, s] = np.maximum(total[node, s], 0.0)
            while node := node // 2:
                a, b = 2 * node, 2 * node + 1
                total[node, s] = total[a, s] + total[b, s]
                head[node, s] = np.maximum(head[a, s], total[a, s] + head[b, s])
                tail[node, s] = np.maximum(tail[b, s], total[b, s] + tail[a, s])
                run[node, s] = np.maximum(np.maximum(run[a, s], run[b, s]), tail[a, s] + head[b, s])
        top = int(np.argmax(run[1, s]))
        if run[1, top] > best[0]:
            best = (float(run[1, top]), int(lefts[top]), right)
    return best
