"""Rows with a few strong factors in noise: what principal components and projections are for."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def factor_rows(n: int, p: int, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Fifteen factors of falling size in independent noise, and columns away from 0."""
    rng = np.random.default_rng(0)
    size = np.geomspace(4.0, 1.0, 15)
    loadings = rng.standard_normal((15, p)) * size[:, None] / np.sqrt(15.0)
    X = np.empty((n, p), dtype=dtype)
    for a in range(0, n, 2000):  # no second array of this size
        rows = min(2000, n - a)
        noise = rng.standard_normal((rows, p), dtype=np.float32)
        X[a : a + rows] = noise + rng.standard_normal((rows, 15)) @ loadings + 1.0
    return X, np.zeros(n)


def sparse_counts(n: int, p: int, density: float, dtype: Any = np.float64) -> tuple[sp.csr_array, np.ndarray]:
    """Counts of words of which each row prefers one of thirty groups: CSR, mostly zeros."""
    rng = np.random.default_rng(1)
    cells = round(density * n * p)
    row = rng.integers(n, size=cells)
    topic = (row * 7) % 30
    own = rng.random(cells) < 0.02 * (1 + topic)  # larger topics have more words of their own
    preferred = topic * (p // 30) + rng.integers(max(1, p // 300), size=cells)
    column = np.where(own, preferred, rng.integers(p, size=cells))
    X = sp.csr_array(sp.coo_array((np.ones(cells, dtype=dtype), (row, column)), shape=(n, p)))
    return X, np.zeros(n)
