"""How well a tree tells distances: the correlation of Sokal and Rohlf, Taxon 11 (1962)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform

from empirisk.data.memory import refuse_memory
from empirisk.linkage.merge_tree import MergeTree
from empirisk.typing import Array

__all__ = ["cophenetic_correlation"]


def cophenetic_correlation(X: Array, metric: str, tree: MergeTree) -> float:
    """Return the correlation of the distances of rows with the heights at which they meet in a tree.

    Parameters
    ----------
    X : array, shape (n, p)
        Rows, or their distances.
    metric : {"euclidean", "manhattan", "cosine", "precomputed"}
    tree : MergeTree
        Of n leaves.

    Returns
    -------
    float
        NaN for fewer than three rows, and where distances or heights do not vary.

    Raises
    ------
    MemoryError
        Where ``16 n (n - 1)`` bytes are not free.
    """
    n = len(X)
    pairs = n * (n - 1) / 2.0
    refuse_memory(f"the distances of {pairs:,.0f} pairs of rows", 32.0 * pairs, "take fewer rows")
    names: dict[str, Any] = {"euclidean": "euclidean", "manhattan": "cityblock", "cosine": "cosine"}
    own = squareform(X, checks=False) if metric == "precomputed" else pdist(X, metric=names[metric])
    if len(own) < 2:
        return float("nan")
    meet = tree.cophenetic()
    if np.ptp(own) == 0.0 or np.ptp(meet) == 0.0:
        return float("nan")
    own, meet = own / own.max(), meet / meet.max()  # no square overflows
    return float(np.corrcoef(own, meet)[0, 1])
