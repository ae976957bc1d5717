"""A thousand random projections: how far squared distances are off, on some pairs of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

WIDTH = 1000
LOOKED_AT = 60  # rows, all pairs of them


class Projected:
    """Root of the mean squared relative error; any fair projection has about ``sqrt(2/1000)``."""

    name = "projection"
    accuracy = 0.01  # of 1, the error of a projection that loses everything

    def strength(self, X: Any, y: Any) -> int:
        """Return how many columns are wanted."""
        return WIDTH

    def value(self, X: Any, y: Any, width: int, result: np.ndarray) -> float:
        """Return the error over the pairs of the first rows."""
        one, two = np.triu_indices(min(LOOKED_AT, X.shape[0]), 1)
        before = np.square(X[one] - X[two], dtype=np.float64).sum(axis=1)
        after = np.square(result[one] - result[two], dtype=np.float64).sum(axis=1)
        return float(np.sqrt(np.mean((after / before - 1.0) ** 2)))

    def null(self, X: Any, y: Any) -> float:
        """Return the error of a projection to nothing."""
        return 1.0

    def reference(self, X: Any, y: Any, width: int) -> np.ndarray:
        """Project the rows that are looked at by normal numbers, a thousand columns at a time."""
        rng, out = np.random.default_rng(0), np.zeros((X.shape[0], width), dtype=np.float32)
        some = X[:LOOKED_AT]
        for a in range(0, X.shape[1], 1000):
            part = some[:, a : a + 1000]
            out[:LOOKED_AT] += part @ (rng.standard_normal((part.shape[1], width)) / np.sqrt(width))
        return out
