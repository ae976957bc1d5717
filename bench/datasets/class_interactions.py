"""Many classes by sums, products and waves of normal columns, each class with columns of its own."""

from __future__ import annotations

import numpy as np


def class_interactions(n: int, p: int, k: int, seed: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of k classes, the first k one of each; `seed` draws them, and p and k alone the classes."""
    law = np.random.default_rng((p, k))
    asked = law.integers(p, size=(k, 4))
    size = law.normal(size=(k, 3))
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    y, best = np.zeros(n, dtype=np.int64), np.full(n, -np.inf)
    for c in range(k):
        a, b, d, e = (X[:, j] for j in asked[c])
        z = size[c, 0] * a + size[c, 1] * b * d + size[c, 2] * np.sin(2.0 * e)
        z = 2.0 * z + rng.gumbel(size=n)
        y[z > best] = c
        best = np.maximum(best, z)
    first = np.unique(y, return_index=True)[1]
    order = np.concatenate([first, np.delete(np.arange(n), first)])
    return X[order], y[order]
