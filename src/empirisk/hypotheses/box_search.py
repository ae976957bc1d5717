"""The box with the largest sum of gains in three and more coordinates: branch and bound."""

from __future__ import annotations

import heapq
import itertools
import time

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.intervals import best_runs
from empirisk.typing import Array, IndexArray

__all__ = ["search"]

_BATCH = 64  # nodes that are bounded in one matrix product


def search(points: Array, gain: Array, seconds: float) -> tuple[NDArray[np.bool_], float | None, str]:
    """Members of the best box, a bound on its gain (None: it is the best), and the argument.

    A node is a set of boxes: each side lies in a range.  Its bound counts the positive gains of the largest
    box of the node and the negative ones of the smallest.

    Parameters
    ----------
    points : array, shape (n, d)
        Distinct points.
    gain : array, shape (n,)
        Their gains, one of them > 0.
    seconds : float
        When to stop.

    Returns
    -------
    members : array of bool, shape (n,)
    most : float or None
    argument : str
    """
    ranks = np.stack([np.unique(c, return_inverse=True)[1] for c in points.T], axis=1)
    members, best = _climb(ranks, gain)
    # Sides of a best box can be moved to points of positive gain.
    low, high = ranks[gain > 0.0].min(axis=0), ranks[gain > 0.0].max(axis=0)
    root = np.array([low, high, low, high])  # least and largest lower side, least and largest upper side
    count = itertools.count()
    heap = [(-float(gain[gain > 0.0].sum()), next(count), root)]
    deadline = time.monotonic() + seconds
    visited = 0
    while heap and not _settled(-heap[0][0], best, gain):
        if time.monotonic() > deadline:
            text = f"branch and bound over {visited} sets of boxes, stopped after {seconds:g} seconds"
            return members, -heap[0][0], text
        batch = [heapq.heappop(heap)[2] for _ in range(min(_BATCH, len(heap)))]
        nodes = np.concatenate([_halves(node) for node in batch])
        visited += len(nodes)
        outer = _inside(ranks, nodes[:, 0], nodes[:, 3])
        inner = _inside(ranks, nodes[:, 1], nodes[:, 2])
        bounds = outer @ np.maximum(gain, 0.0) + inner @ np.minimum(gain, 0.0)
        values = outer @ gain
        top = int(np.argmax(values))
        if values[top] > best:
            members, best = outer[top], float(values[top])
        for node, bound in zip(nodes, bounds, strict=True):
            if not _settled(float(bound), best, gain):
                heapq.heappush(heap, (-float(bound), next(count), node))
    return members, None, f"branch and bound over {visited} sets of boxes"


def _settled(bound: float, best: float, gain: Array) -> bool:
    """Return whether a bound leaves no room above the best; sums of whole numbers leave none below the next
    one.
    """
    whole = bool(np.all(gain == np.rint(gain)))
    # The millionth is for the rounding of the bound, which is a sum in floating point.
    return bound < best + 1.0 - 1e-6 if whole else bound <= best


def _halves(node: IndexArray) -> IndexArray:
    """Return two nodes that split the widest range of a side."""
    widths = np.stack([node[1] - node[0], node[3] - node[2]])
    side, j = np.unravel_index(int(np.argmax(widths)), widths.shape)
    a, b = 2 * int(side), 2 * int(side) + 1
    middle = (node[a, j] + node[b, j]) // 2
    two = np.stack([node, node])
    two[0, b, j] = middle
    two[1, a, j] = middle + 1
    # Lower sides above the largest upper side (and upper ones below the least lower side) make no box.
    two[:, 1] = np.minimum(two[:, 1], two[:, 3])
    two[:, 2] = np.maximum(two[:, 2], two[:, 0])
    return two[(two[:, 0] <= two[:, 3]).all(axis=1)]


def _inside(ranks: IndexArray, low: IndexArray, high: IndexArray) -> NDArray[np.bool_]:
    """Return for each pair of corners which points lie between them."""
    return np.asarray(((ranks >= low[:, None]) & (ranks <= high[:, None])).all(axis=2))


def _climb(ranks: IndexArray, gain: Array) -> tuple[NDArray[np.bool_], float]:
    """Return a good box: from some points on, the best run in one coordinate after the other until none
    helps.
    """
    best, members = -np.inf, gain > 0.0
    starts = np.flatnonzero(gain > 0.0)
    for start in starts[:: max(1, len(starts) // 50)]:
        for low, high in ((ranks[start], ranks[start]), (ranks.min(axis=0), ranks.max(axis=0))):
            inside, value = _ascend(ranks, gain, low.copy(), high.copy())
            if value > best:
                best, members = value, inside
    return members, best


def _ascend(
    ranks: IndexArray, gain: Array, low: IndexArray, high: IndexArray
) -> tuple[NDArray[np.bool_], float]:
    """Improve the sides of one coordinate at a time."""
    value = -np.inf
    while True:
        for j in range(ranks.shape[1]):
            others = np.delete((ranks >= low) & (ranks <= high), j, axis=1).all(axis=1)
            sums = np.bincount(ranks[others, j], weights=gain[others], minlength=int(ranks[:, j].max()) + 1)
            runs = best_runs(sums.astype(np.float64), 1)[1]
            if runs:
                low[j], high[j] = runs[0]
        inside = np.asarray(((ranks >= low) & (ranks <= high)).all(axis=1))
        if float(gain[inside].sum()) <= value:
            return inside, value
        value = float(gain[inside].sum())
