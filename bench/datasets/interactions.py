"""Two classes by sums, a product, a wave and a square of normal columns."""

from __future__ import annotations

import numpy as np


def interactions(n: int, p: int, seed: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Five of the p columns carry the log-odds."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    z = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(2.0 * X[:, 3]) + 0.5 * X[:, 4] ** 2
    return X, (rng.random(n) < 1.0 / (1.0 + np.exp(-z))).astype(np.int64)
