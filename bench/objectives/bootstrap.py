"""95 % BCa intervals by the bootstrap: whoever finds the ends within the noise of 9999 resamples counts."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special

# Ends of 9999 resamples vary by 1 to 2 % of the width (one standard deviation); beyond this they are wrong.
TOLERANCE = 0.1
RESAMPLES = 60_000


class _Key:
    """Arrays as a cache key: the objects themselves."""

    def __init__(self, *arrays: Any) -> None:
        self.arrays = arrays

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.arrays)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and all(a is b for a, b in zip(self.arrays, other.arrays, strict=True))


class Bootstrap:
    """A result is (low, high); its value is by how much an end misses more than the noise, in widths."""

    name = ""

    def strength(self, X: Any, y: Any) -> None:
        """Do nothing, because a bootstrap has no strength."""

    def value(self, X: Any, y: Any, strength: Any, result: tuple[float, float]) -> float:
        """0 within the noise of the reference ends."""
        low, high = self.reference(X, y, strength)
        off = max(abs(result[0] - low), abs(result[1] - high)) / (high - low)
        return max(0.0, off - TOLERANCE)

    def null(self, X: Any, y: Any) -> float:
        """Return 1, because errors are measured in widths of the interval."""
        return 1.0

    def reference(self, X: Any, y: Any, strength: Any) -> tuple[float, float]:
        """BCa ends from many resamples in plain NumPy."""
        return self._ends(_Key(X, y))

    @lru_cache(maxsize=1)  # noqa: B019 - one row of the table is measured by one process
    def _ends(self, key: _Key) -> tuple[float, float]:
        X, y = key.arrays
        n, rng = len(y), np.random.default_rng(0)
        draws = []
        for _ in range(0, RESAMPLES, 500):
            rows = rng.integers(0, n, (500, n))
            draws.append(self.statistic(X, y, rows))
        values = np.concatenate(draws)
        every = np.arange(n)
        value = float(self.statistic(X, y, every[None, :])[0])
        kept = rng.permutation(n)[: min(n, 2000)]  # rows for the acceleration
        left = np.array([self.statistic(X, y, np.delete(every, i)[None, :])[0] for i in kept])
        u = left.mean() - left
        a = np.mean(u**3) / (6.0 * np.mean(u**2) ** 1.5 * np.sqrt(n))
        z0 = special.ndtri(0.5 * (np.mean(values < value) + np.mean(values <= value)))
        z = z0 + special.ndtri(np.array([0.025, 0.975]))
        low, high = np.quantile(values, special.ndtr(z0 + z / (1.0 - a * z)))
        return float(low), float(high)

    def statistic(self, X: Any, y: Any, rows: np.ndarray) -> np.ndarray:
        """The statistic of each row of row numbers (b, n)."""
        raise NotImplementedError


class BootstrapMean(Bootstrap):
    """The bootstrap interval of the mean of y."""

    name = "bootstrap_mean"

    def statistic(self, X: Any, y: Any, rows: np.ndarray) -> np.ndarray:
        """Return the mean of y for each row of indices."""
        return y[rows].mean(axis=1)


class BootstrapMedian(Bootstrap):
    """The bootstrap interval of the median of y."""

    name = "bootstrap_median"

    def statistic(self, X: Any, y: Any, rows: np.ndarray) -> np.ndarray:
        """Return the median of y for each row of indices."""
        return np.median(y[rows], axis=1)


class BootstrapCorrelation(Bootstrap):
    """Correlation of the first column and y."""

    name = "bootstrap_correlation"

    def statistic(self, X: Any, y: Any, rows: np.ndarray) -> np.ndarray:
        """Return the correlation of x and y for each row of indices."""
        u, v = X[:, 0][rows], y[rows]
        u -= u.mean(axis=1, keepdims=True)
        v -= v.mean(axis=1, keepdims=True)
        return np.sum(u * v, axis=1) / np.sqrt(np.sum(u * u, axis=1) * np.sum(v * v, axis=1))


class BootstrapRegression(Bootstrap):
    """The first slope of least squares with an intercept."""

    name = "bootstrap_regression"

    def statistic(self, X: Any, y: Any, rows: np.ndarray) -> np.ndarray:
        """Return the least-squares coefficients for each row of indices, from the normal equations of the
        resample.
        """
        Z, t = np.column_stack([np.ones(len(y)), X]), y
        out = []
        for r in rows:
            z = Z[r]
            out.append(np.linalg.solve(z.T @ z, z.T @ t[r])[1])
        return np.array(out)
