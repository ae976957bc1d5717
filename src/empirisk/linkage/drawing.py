"""What a dendrogram shows: which merges, where their lines lie, and which leaves stand for several rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.linkage.merge_tree import MergeTree
from empirisk.typing import Array, IndexArray

__all__ = ["dendrogram"]


def dendrogram(
    tree: MergeTree, labels: IndexArray, cut: float | None, names: Any = None, max_leaves: int = 40
) -> dict[str, Any]:
    """Return the lines, leaves and colours of a tree.

    A tree of more than `max_leaves` leaves is shown from the top: its last ``max_leaves - 1`` merges.  What
    they join is drawn as a wedge as high as its own last merge.

    Parameters
    ----------
    tree : MergeTree
    labels : array of int, shape (n,)
        The cluster of each leaf.
    cut : float or None
        Height of the line of the cut; None where no one height makes these clusters.
    names : sequence, optional
        Of the leaves.
    max_leaves : int, default 40

    Returns
    -------
    dict
        ``links`` (left, right, their heights below, height, cluster or -1), ``leaves`` (height, rows, name,
        cluster or -1), from left to right at 0, 1, 2, ..., ``cut``, ``clusters`` and ``n``.
    """
    n = tree.n
    first = max(0, n - max_leaves)  # merges before it are not shown
    one = _cluster_of_nodes(tree, labels)
    x: dict[int, float] = {}
    leaves: list[dict[str, Any]] = []
    stack = [2 * n - 2] if n > 1 else [0]
    while stack:
        node = stack.pop()
        if node >= n + first:
            stack.extend(int(c) for c in tree.matrix[node - n, 1::-1])
            continue
        rows = 1 if node < n else int(tree.matrix[node - n, 3])
        height = 0.0 if node < n else float(tree.matrix[node - n, 2])
        name = str(node if names is None else names[node]) if node < n else ""
        x[node] = float(len(leaves))
        leaves.append({"height": height, "rows": rows, "name": name, "cluster": int(one[node])})
    links = []
    for k in range(first, n - 1):
        left, right = sorted((int(c) for c in tree.matrix[k, :2]), key=lambda c: x[c])
        low = [0.0 if c < n else float(tree.matrix[c - n, 2]) for c in (left, right)]
        x[n + k] = 0.5 * (x[left] + x[right])
        links.append([x[left], x[right], *low, float(tree.matrix[k, 2]), int(one[n + k])])
    return {
        "links": links,
        "leaves": leaves,
        "cut": cut,
        "clusters": int(labels.max()) + 1,
        "n": n,
        "inversions": tree.inversions,
    }


def _cluster_of_nodes(tree: MergeTree, labels: IndexArray) -> Array:
    """Return the cluster that holds each node, or -1 for those that hold parts of several."""
    n = tree.n
    out = np.concatenate([labels, np.full(n - 1, -1)])
    for k, (i, j) in enumerate(tree.matrix[:, :2].astype(np.intp)):
        if out[i] == out[j]:
            out[n + k] = out[i]
    return out
