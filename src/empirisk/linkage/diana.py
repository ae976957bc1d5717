"""Divisive analysis: one cluster of all rows is split, and the parts are split, until all rows are alone.

Kaufman and Rousseeuw 1990, Finding Groups in Data, chapter 6, after Macnaughton-Smith, Williams, Dale and
Mockett, Nature 202 (1964).
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.typing import Array, IndexArray

__all__ = ["diana", "divisive_coefficient"]

# A mean difference below this share of the diameter is rounding, and moves no row.
ROUNDING = 1e-12


@dataclass
class _Cluster:
    """Rows of a cluster with the sum of their distances in it, and the farthest of each."""

    rows: IndexArray
    sums: Array
    far: IndexArray  # by place in `rows`
    farthest: Array

    @property
    def diameter(self) -> float:
        return float(self.farthest.max())


def diana(D: Array) -> Array:
    """Return the splits as SciPy's linkage matrix, (n - 1, 4): the last split is the first merge.

    The cluster with the largest diameter is split, of equally large ones that with the smallest row number.
    The row with the largest mean distance to the others leaves it first.  Then the row leaves for which
    ``mean distance to the other rows that stay - mean distance to those that left`` is largest, as long as
    this is positive; of equal ones the first.

    Parameters
    ----------
    D : array, shape (n, n)
        A symmetric matrix of distances.

    Returns
    -------
    array, shape (n - 1, 4)
        The height of a split is the diameter of the cluster that it splits.

    Notes
    -----
    A split of m rows from which s leave takes O(m s) steps, and the diameters of both parts O(m) for each row
    whose farthest row is in the other part: between O(n^2) and O(n^3) in all.
    """
    n = len(D)
    if n == 1:
        return np.empty((0, 4))
    everyone = np.arange(n)
    far = D.argmax(axis=1)
    heap: list[tuple[float, int, _Cluster]] = []
    whole = _Cluster(everyone, D.sum(axis=1), far, D[everyone, far])
    heappush(heap, (-whole.diameter, 0, whole))
    splits: list[tuple[int, int, float]] = []
    while heap:
        height, _, cluster = heappop(heap)
        parts = _split(D, cluster)
        splits.append((int(parts[0].rows[0]), int(parts[1].rows[0]), -height))
        for part in parts:
            if len(part.rows) > 1:
                heappush(heap, (-part.diameter, int(part.rows[0]), part))
    first, second, heights = (np.array(v[::-1]) for v in zip(*splits, strict=True))
    return np.asarray(_loops.merge_tree(first, second, heights, "given"))


def _split(D: Array, cluster: _Cluster) -> tuple[_Cluster, _Cluster]:
    rows, sums = cluster.rows, cluster.sums
    m = len(rows)
    gone = np.zeros(m, dtype=bool)
    gone[int(np.argmax(sums))] = True
    to_gone = D[rows, rows[gone][0]].astype(np.float64)
    least = ROUNDING * cluster.diameter
    for left in range(1, m - 1):
        stay = m - left
        gain = (sums - to_gone) / (stay - 1) - to_gone / left
        gain[gone] = -np.inf
        best = int(np.argmax(gain))
        if not gain[best] > least:
            break
        gone[best] = True
        to_gone += D[rows, rows[best]]
    return _part(D, cluster, gone, to_gone), _part(D, cluster, ~gone, sums - to_gone)


def _part(D: Array, cluster: _Cluster, inside: Any, sums: Array) -> _Cluster:
    """Return one side of a split; rows whose farthest row is on the other side look for it again."""
    rows = cluster.rows[inside]
    place = np.cumsum(inside) - 1
    far, farthest = place[cluster.far[inside]], cluster.farthest[inside].copy()
    lost = np.flatnonzero(~inside[cluster.far[inside]])
    step = max(1, 2**22 // len(rows))
    for start in range(0, len(lost), step):
        some = lost[start : start + step]
        block = D[np.ix_(rows[some], rows)]
        far[some] = block.argmax(axis=1)
        farthest[some] = block[np.arange(len(some)), far[some]]
    return _Cluster(rows, sums[inside], far, farthest)


def divisive_coefficient(Z: Array) -> float:
    """Return the mean of ``1 - d(i) / d``, with d the diameter of all rows, d(i) of the last cluster with i.

    Near 1 the clusters are much tighter than the whole, near 0 there is no structure.  It grows with the
    number of rows, so that it compares divisions of the same rows alone.

    Parameters
    ----------
    Z : array, shape (n - 1, 4)
        What :func:`diana` returns.

    Examples
    --------
    >>> d = np.abs(np.subtract.outer([0.0, 1.0, 9.0, 10.0], [0.0, 1.0, 9.0, 10.0]))
    >>> round(divisive_coefficient(diana(d)), 3)
    0.9
    """
    n = len(Z) + 1
    if n == 1 or Z[-1, 2] == 0.0:
        return 0.0
    last = np.zeros(n)
    for side in (0, 1):
        leaf = Z[:, side] < n
        last[Z[leaf, side].astype(np.intp)] = Z[leaf, 2]
    return float(np.mean(1.0 - last / Z[-1, 2]))
