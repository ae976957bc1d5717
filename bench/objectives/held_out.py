"""Leave-one-out errors and learning curves: the result is a held-out mean squared error, right or wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from bench.objectives.bootstrap import _Key

STRENGTH = 1.0  # of ridge: sum of squares + ||w||^2
NEIGHBOURS = 5
GAMMA = 0.1


class HeldOut:
    """A result is a mean squared error on rows outside the fits; its value is how far from right it is."""

    def __init__(self, name: str, right: Callable[[Any, Any], float]) -> None:
        self.name, self._right = name, lru_cache(maxsize=2)(lambda key: right(*key.arrays))

    def strength(self, X: Any, y: Any) -> float:
        """Return the total strength of the penalty, not divided by the number of rows."""
        return STRENGTH

    def value(self, X: Any, y: Any, strength: float, result: float) -> float:
        """Return how far a result is from the right one, 0 when it is right."""
        return abs(result - self._right(_Key(X, y)))

    def null(self, X: Any, y: Any) -> float:
        """Return the variance of y, against which errors are measured."""
        return float(np.var(y))

    def reference(self, X: Any, y: Any, strength: float) -> float:
        """The error by plain NumPy, a fit for each row or fold."""
        return self._right(_Key(X, y))


def equal_folds(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Five fixed folds of equal size, of the first rows that divide by five."""
    n -= n % 5
    home = np.random.default_rng(0).permutation(n) % 5
    return [(np.flatnonzero(home != k), np.flatnonzero(home == k)) for k in range(5)]


def _ridge(X: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    mean, level = X.mean(axis=0), y.mean()
    A = X - mean
    w = np.linalg.solve(A.T @ A + STRENGTH * np.eye(X.shape[1]), A.T @ (y - level))
    return (new - mean) @ w + level


def _kernel(X: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    def gram(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.exp(-GAMMA * ((a[:, None, :] - b) ** 2).sum(axis=2))

    return gram(new, X) @ np.linalg.solve(gram(X, X) + STRENGTH * np.eye(len(X)), y)


def _neighbours(X: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    distance = ((new[:, None, :] - X) ** 2).sum(axis=2)
    return y[np.argsort(distance, axis=1, kind="stable")[:, :NEIGHBOURS]].mean(axis=1)


def _one_out(predict: Callable[..., np.ndarray]) -> Callable[[Any, Any], float]:
    def error(X: Any, y: Any) -> float:
        rows = np.arange(len(y))
        said = [predict(X[rows != i], y[rows != i], X[i : i + 1])[0] for i in rows]
        return float(np.mean((y - np.array(said)) ** 2))

    return error


def _whole_folds(X: Any, y: Any) -> float:
    errors = [(y[test] - _ridge(X[train], y[train], X[test])) ** 2 for train, test in equal_folds(len(y))]
    return float(np.mean(errors))


OBJECTIVES = (
    HeldOut("one_out_ridge", _one_out(_ridge)),
    HeldOut("one_out_kernel_ridge", _one_out(_kernel)),
    HeldOut("one_out_neighbors", _one_out(_neighbours)),
    HeldOut("learning_curve", _whole_folds),
)
