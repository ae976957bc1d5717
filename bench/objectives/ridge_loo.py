"""The leave-one-out error of ridge over 50 strengths: which strength is best."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np


class RidgeLOO:
    """``min over alpha of mean (y_i - prediction of the fit without row i)^2 / 2``; a result is an alpha."""

    name = "ridge_loo"

    def strength(self, X: Any, y: Any) -> np.ndarray:
        """Return fifty strengths over seven decades, the smallest first."""
        return np.logspace(-2.0, 5.0, 50) / len(y)

    def value(self, X: Any, y: Any, strength: np.ndarray, result: float) -> float:
        """Leave-one-out error at the strength that a solver chose."""
        errors = _errors(_Key(X, y, strength))
        return float(errors[np.argmin(np.abs(np.log(strength / result)))])

    def null(self, X: Any, y: Any) -> float:
        """Return half the variance of y, the objective of the mean alone."""
        return float(np.var(y)) / 2.0

    def reference(self, X: Any, y: Any, strength: np.ndarray) -> float:
        """The best strength by singular values: ``e_i = r_i / (1 - h_i)``."""
        return float(strength[np.argmin(_errors(_Key(X, y, strength)))])


class _Key:
    """Arrays as a cache key: the objects themselves."""

    def __init__(self, *arrays: Any) -> None:
        self.arrays = arrays

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.arrays)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and all(a is b for a, b in zip(self.arrays, other.arrays, strict=True))


@lru_cache(maxsize=1)
def _errors(key: _Key) -> np.ndarray:
    X, y, strength = key.arrays
    n = len(y)
    t = y - y.mean()
    U, d, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    c = U.T @ t
    out = []
    for alpha in strength:
        share = d**2 / (d**2 + n * alpha)
        residual = t - U @ (share * c)
        leverage = 1.0 / n + (U**2) @ share
        out.append(float(np.mean((residual / (1.0 - leverage)) ** 2)) / 2.0)
    return np.array(out)
