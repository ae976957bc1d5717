"""Merging by the definition: all pairs of clusters are compared before each merge."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

__all__ = ["DEFINITIONS", "excess", "greedy"]


def _ward(a: Any, b: Any) -> float:
    factor = 2.0 * len(a) * len(b) / (len(a) + len(b))
    return float(np.sqrt(factor * np.sum((a.mean(axis=0) - b.mean(axis=0)) ** 2)))


# The distance of two clusters of rows.
DEFINITIONS: dict[str, Any] = {
    "single": lambda a, b: float(cdist(a, b).min()),
    "complete": lambda a, b: float(cdist(a, b).max()),
    "average": lambda a, b: float(cdist(a, b).mean()),
    "ward": _ward,
    "centroid": lambda a, b: float(np.linalg.norm(a.mean(axis=0) - b.mean(axis=0))),
}


def greedy(X: Any, name: str, metric: Any = "euclidean") -> Any:
    """Return the linkage matrix of the merges; those within 1e-9 of the least distance tie.

    A cluster has the number of its largest row, and of tied pairs the first in the order of (smaller number,
    larger number) is merged.  In single linkage the pair of clusters with the first of the tied pairs of rows
    is merged.  Halves of halves (weighted, median) are followed by weights of the rows.
    """
    n = len(X)
    shares = {i: np.eye(n)[i] for i in range(n)}
    rows: dict[int, list[int]] = {i: [i] for i in range(n)}  # by number of the cluster
    ids = {i: i for i in range(n)}
    D = cdist(X, X, metric)
    out = []
    for k in range(n - 1):
        keys = []
        for a in rows:
            for b in rows:
                if a < b:
                    d = _distance(X, D, name, rows[a], rows[b], shares[a], shares[b])
                    keys.append((d, a, b))
        least = min(keys)[0]
        tied = [key for key in keys if key[0] <= least + 1e-9]
        if name == "single":
            pairs = [
                (min(i, j), max(i, j), a, b)
                for _, a, b in tied
                for i in rows[a]
                for j in rows[b]
                if D[i, j] <= least + 1e-9
            ]
            _, _, a, b = min(pairs)
        else:
            _, a, b = min(tied, key=lambda key: key[1:])
        rows[b] = sorted(rows[a] + rows[b])
        shares[b] = 0.5 * (shares[a] + shares[b])
        out.append([min(ids[a], ids[b]), max(ids[a], ids[b]), least, len(rows[b])])
        ids[b] = n + k
        del rows[a]
    return np.array(out, dtype=float).reshape(-1, 4)


def _distance(X: Any, D: Any, name: str, one: Any, other: Any, share: Any, another: Any) -> float:
    if name == "weighted":
        return float(share @ D @ another)
    if name in ("single", "complete", "average"):
        part = D[np.ix_(one, other)]
        return float({"single": part.min, "complete": part.max, "average": part.mean}[name]())
    if name == "median":
        return float(np.linalg.norm((share - another) @ X))
    return float(DEFINITIONS[name](X[one], X[other]))


def excess(X: Any, name: str, Z: Any) -> float:
    """Return by how much a merge is above the least distance of two clusters at that time, at most."""
    n = len(X)
    D, live = cdist(X, X), {i: ([i], np.eye(n)[i]) for i in range(n)}
    worst = 0.0
    for k, (i, j, height, _) in enumerate(Z):
        pairs = [(a, b) for a in live for b in live if a < b]
        least = min(_distance(X, D, name, live[a][0], live[b][0], live[a][1], live[b][1]) for a, b in pairs)
        (one, share), (other, another) = live.pop(int(i)), live.pop(int(j))
        own = _distance(X, D, name, one, other, share, another)
        worst = max(worst, own - least, abs(own - height))
        live[n + k] = (one + other, 0.5 * (share + another))
    return worst
