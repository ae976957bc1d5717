"""Merges checked against their definition in plain NumPy, with a bounded amount of work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from empirisk.data.brief import Brief
from empirisk.linkage.base import Linkage
from empirisk.linkage.merge_tree import MergeTree
from empirisk.typing import Array, IndexArray

__all__ = ["Checked", "all_distances", "check_merges", "distances"]

# Rows up to which all merges are made again, merges that are looked at beyond, and pairs of rows for each.
ALL, SOME, PAIRS = 400, 64, 1_000_000

CALL = 1 << 22  # differences that one call takes at most, so that Python looks for an interrupt in between

_NAMES: dict[str, Any] = {"euclidean": "euclidean", "manhattan": "cityblock", "cosine": "cosine"}


@dataclass(frozen=True, repr=False)
class Checked(Brief):
    """How far merges are from the definition.

    Parameters
    ----------
    merges : int
        How many were looked at.
    excess : float
        By how much a merge was above the closest pair of clusters, at most.
    height : float
        By how much a height differs from the distance of its clusters, at most.
    """

    merges: int
    excess: float
    height: float


def distances(X: Array, rows: IndexArray, others: IndexArray, metric: str) -> Array:
    """Return the distances of some rows to others, from their differences or from the given matrix."""
    if metric == "precomputed":
        return np.asarray(X[np.ix_(rows, others)])
    return np.asarray(cdist(X[rows], X[others], _NAMES[metric]))


def all_distances(X: Array, metric: str) -> Array:
    """Return the distances of all rows, some rows at a time: the matrix itself where it is given."""
    if metric == "precomputed":
        return X
    n, p = X.shape
    out, everyone = np.empty((n, n)), np.arange(n)
    step = max(1, CALL // (n * max(1, p)))
    for begin in range(0, n, step):
        out[begin : begin + step] = distances(X, everyone[begin : begin + step], everyone, metric)
    return out


def check_merges(
    X: Array, linkage: Linkage, metric: str, weight: Array, tree: MergeTree, graph: Any = None
) -> Checked:
    """Make the merges again by the recurrence of Lance and Williams, or look at some of them.

    Up to 400 rows every merge is compared with all pairs of clusters.  With more rows, for 64 merges evenly
    spread over the tree, the distance of the two clusters is computed by its definition and compared with
    the height, as far as this takes a million distances of rows; their rise is checked for all merges of a
    reducible linkage.  With a graph, the closest pair is that of clusters which it connects, while it does.
    """
    if tree.n <= ALL:
        return _all(X, linkage, metric, weight, tree, graph)
    return _some(X, linkage, metric, weight, tree, graph is None and linkage.reducible)


def _all(X: Array, linkage: Linkage, metric: str, weight: Array, tree: MergeTree, graph: Any) -> Checked:
    """Compare each merge with the smallest of all distances of clusters."""
    n = tree.n
    everyone = np.arange(n)
    D = distances(X, everyone, everyone, metric).astype(np.float64)
    if linkage.squared:
        D = D**2
        if linkage.reducible:  # Ward's distance of weighted rows
            D *= 2.0 * np.outer(weight, weight) / np.add.outer(weight, weight)
    np.fill_diagonal(D, np.inf)
    linked = np.ones((n, n), dtype=bool) if graph is None else np.asarray((graph != 0).todense(), dtype=bool)
    linked |= linked.T
    place, size = {i: i for i in range(n)}, weight.astype(np.float64).copy()
    excess = wrong = 0.0
    for k, (left, right, height, _) in enumerate(tree.matrix):
        i, j = place.pop(int(left)), place.pop(int(right))
        allowed = D[linked & np.isfinite(D)]
        least, own = float(allowed.min() if len(allowed) else D.min()), float(D[i, j])
        if len(allowed) and not linked[i, j]:
            excess = np.inf
        if linkage.squared:
            excess = max(excess, np.sqrt(own) - np.sqrt(max(least, 0.0)))
            wrong = max(wrong, abs(np.sqrt(max(own, 0.0)) - height))
        else:
            excess, wrong = max(excess, own - least), max(wrong, abs(own - height))
        a, b, c, g = linkage.coefficients(size[i], size[j], size)
        with np.errstate(invalid="ignore"):
            row = a * D[i] + b * D[j] + c * own + (g * np.abs(D[i] - D[j]) if g else 0.0)
        gone = ~np.isfinite(D[i]) | ~np.isfinite(D[j])
        row[gone] = np.inf
        D[j], D[:, j] = row, row
        D[i], D[:, i] = np.inf, np.inf
        D[j, j] = np.inf
        linked[j] |= linked[i]
        linked[:, j] |= linked[:, i]
        size[j] += size[i]
        place[n + k] = j
    return Checked(n - 1, float(excess), float(wrong))


def _some(X: Array, linkage: Linkage, metric: str, weight: Array, tree: MergeTree, rising: bool) -> Checked:
    """Compare the heights of some merges with the distances of their clusters."""
    n = tree.n
    wrong, looked = 0.0, 0
    wanted = np.unique(np.linspace(0, n - 2, SOME).astype(int))
    centres = _centres(X, linkage, weight, tree, set(wanted.tolist())) if linkage.centroids else {}
    for k in wanted.tolist():
        left, right, height, _ = tree.matrix[k]
        if linkage.centroids and metric != "precomputed":
            own = centres[k]
        else:
            one, other = tree.members(int(left)), tree.members(int(right))
            if len(one) * len(other) > PAIRS or linkage.centroids:
                continue
            own = _by_definition(distances(X, one, other, metric), linkage, weight, tree, one, other, k)
        wrong, looked = max(wrong, abs(own - float(height))), looked + 1
    fall = float(np.max(-np.diff(tree.heights), initial=0.0)) if rising else 0.0
    return Checked(looked, max(0.0, fall), wrong)


def _by_definition(
    d: Array, linkage: Linkage, weight: Array, tree: MergeTree, one: Any, other: Any, k: int
) -> float:
    """Return the distance of two clusters from those of their rows."""
    if linkage.one_pair:
        return float(d.max() if linkage.coefficients(1.0, 1.0, np.ones(1))[3] > 0 else d.min())
    if linkage.counts:
        a, b = weight[one], weight[other]
        return float(a @ d @ b / (a.sum() * b.sum()))
    a, b = (_shares(tree, int(node)) for node in tree.matrix[k, :2])
    return float(a @ d @ b)


def _shares(tree: MergeTree, node: int) -> Array:
    """Return what each leaf of a cluster counts when both parts of every merge count alike."""
    out, stack = [], [(node, 1.0)]
    while stack:
        at, share = stack.pop()
        if at < tree.n:
            out.append((at, share))
        else:
            stack.extend((int(c), 0.5 * share) for c in tree.matrix[at - tree.n, :2])
    return np.array([share for _, share in sorted(out)])


def _centres(
    X: Array, linkage: Linkage, weight: Array, tree: MergeTree, wanted: set[int]
) -> dict[int, float]:
    """Return the distances of the centres of the two clusters of some merges, in one pass up the tree."""
    n = tree.n
    centre = dict(enumerate(np.asarray(X, dtype=np.float64)))
    size = dict(enumerate(weight.tolist()))
    out: dict[int, float] = {}
    for k, (left, right, _, _) in enumerate(tree.matrix):
        i, j = int(left), int(right)
        x, y, a, b = centre.pop(i), centre.pop(j), size.pop(i), size.pop(j)
        if k in wanted:
            square = float(np.sum((x - y) ** 2))
            out[k] = float(np.sqrt(square * (2.0 * a * b / (a + b) if linkage.reducible else 1.0)))
        share = a / (a + b) if linkage.counts else 0.5
        centre[n + k], size[n + k] = share * x + (1.0 - share) * y, a + b
    return out
