"""Simulated data whose columns come in groups of ten, ten groups relevant; Fortran-ordered."""

from __future__ import annotations

import numpy as np

SIZE = 10


def _signal(n: int, p: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.standard_normal((n, p)))
    w = np.zeros((p // SIZE, SIZE))
    w[rng.choice(len(w), size=min(10, len(w) // 3), replace=False)] = rng.standard_normal(SIZE)
    z = X @ w.ravel()
    return X, z / z.std(), rng


def grouped_regression(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of grouped columns with a signal that is three times the noise."""
    X, z, rng = _signal(n, p, 7)
    return X, z + rng.standard_normal(n) / 3.0


def grouped_classes(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels 0 and 1 with log-odds of standard deviation 2."""
    X, z, rng = _signal(n, p, 8)
    return X, (2.0 * z + rng.logistic(size=n) > 0.0).astype(int)
