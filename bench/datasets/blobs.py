"""Rows in groups that overlap, and the group of each; or the distances between such rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist


def blobs(n: int, p: int, k: int, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of k normal groups, whose centres lie about as far apart as rows, and the groups."""
    rng = np.random.default_rng(0)
    centres, group = 1.2 * rng.standard_normal((k, p)), rng.integers(0, k, n)
    return (centres[group] + rng.standard_normal((n, p))).astype(dtype), group


def distances(n: int, p: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrix of Euclidean distances between such rows, and the groups."""
    X, group = blobs(n, p, k)
    return cdist(X, X), group
