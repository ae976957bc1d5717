"""Overlapping clouds of rows, and rows of them to start k-means from in place of targets."""

from __future__ import annotations

from typing import Any

import numpy as np


def clouds(n: int, p: int, k: int, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Return rows around k centres whose spread is that of the rows about them, and k of the rows."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p)) + rng.standard_normal((k, p))[rng.integers(k, size=n)]
    X = X.astype(dtype)
    return X, X[rng.choice(n, k, replace=False)]
