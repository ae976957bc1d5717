"""K-means: the mean squared distance to the nearest of K centres, computed here in float64."""

from __future__ import annotations

from typing import Any

import numpy as np

ROWS = 20_000  # of a block, whose distances to all centres are in memory


class KMeansMean:
    """``(1/n) sum_i min_k ||x_i - c_k||^2``; the second array of the data holds the start.

    Parameters
    ----------
    name : str
        Of the row.
    accuracy : float
        Up to which results count as equally good.
    steps : int
        Steps of the reference from the given start.
    """

    def __init__(self, name: str, accuracy: float, steps: int) -> None:
        self.name, self.accuracy, self.steps = name, accuracy, steps

    def strength(self, X: Any, start: Any) -> int:
        """Return the number of centres that the data start from."""
        return len(start)

    def value(self, X: Any, start: Any, k: int, centers: np.ndarray) -> float:
        """Return the mean squared distance to the nearest of the centres."""
        return sum(float(d.min(axis=1).sum()) for _, d in _squares(X, centers)) / len(X)

    def null(self, X: Any, start: Any) -> float:
        """Return the mean squared distance to the mean of all rows."""
        return self.value(X, start, 1, X.mean(axis=0, dtype=np.float64)[None])

    def reference(self, X: Any, start: Any, k: int) -> np.ndarray:
        """Return what Lloyd's steps in plain NumPy find from the given start."""
        centers = np.asarray(start, dtype=np.float64)
        for _ in range(self.steps):
            total, count = np.zeros(centers.shape), np.zeros(len(centers))
            for rows, d in _squares(X, centers):
                label = d.argmin(axis=1)
                each = np.zeros((len(centers), len(label)))
                each[label, np.arange(len(label))] = 1.0
                total, count = total + each @ rows, count + each.sum(axis=1)
            full = count > 0
            centers = np.where(full[:, None], total / np.maximum(count, 1.0)[:, None], centers)
        return centers


def _squares(X: Any, centers: np.ndarray) -> Any:
    """Blocks of rows in float64, and their squared distances to all centres."""
    c = np.asarray(centers, dtype=np.float64)
    for a in range(0, len(X), ROWS):
        rows = X[a : a + ROWS].astype(np.float64)
        square = (rows**2).sum(axis=1)[:, None] - 2.0 * rows @ c.T + (c**2).sum(axis=1)
        yield rows, np.maximum(square, 0.0)


OBJECTIVES = (
    KMeansMean("kmeans_20_steps", 1e-4, 20),
    KMeansMean("kmeans_converged", 1e-3, 40),
    # Seeds are drawn, and starts end in different places.
    KMeansMean("kmeans_seeding", 0.3, 1),
    KMeansMean("kmeans_4_starts", 0.01, 20),
    KMeansMean("mini_batches", 0.02, 20),
)
