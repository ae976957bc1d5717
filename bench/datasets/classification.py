"""Simulated classes that overlap, so that the problems are neither separable nor trivial."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def dense_classes(n: int, p: int, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Two classes from a logistic model with scores of standard deviation 2."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, p))
    z = X @ (rng.standard_normal(p) * (2.0 / np.sqrt(p)))
    return X.astype(dtype, copy=False), (rng.random(n) < 1.0 / (1.0 + np.exp(-z))).astype(np.int64)


def gaussian_classes(n: int, p: int, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Three Gaussian classes that overlap, each with correlations of its own."""
    rng = np.random.default_rng(12)
    y = rng.integers(3, size=n)
    X = np.empty((n, p), dtype=dtype)
    for k in range(3):
        turn = np.eye(p) + 0.3 * rng.standard_normal((p, p)) / np.sqrt(p)
        X[y == k] = rng.standard_normal((int((y == k).sum()), p)) @ turn + 0.2 * rng.standard_normal(p)
    return X, y


def ten_classes(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Ten classes from a multinomial model on correlated columns of unlike scale, like pixels."""
    rng = np.random.default_rng(4)
    rank = min(50, p)
    X = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, p)) / np.sqrt(rank)
    X += 0.5 * rng.standard_normal((n, p))
    X *= np.linspace(0.2, 1.0, p)
    scores = X @ rng.standard_normal((p, 10)) * (1.5 / np.sqrt(p))
    return X, (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


def many_classes(n: int, p: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes of unlike size from a multinomial model on correlated columns, of which each uses a third."""
    rng = np.random.default_rng(7)
    X = rng.standard_normal((n, p)) @ (np.eye(p) + 0.3 * rng.standard_normal((p, p)) / np.sqrt(p))
    W = rng.standard_normal((p, k)) * (rng.random((p, k)) < 0.3) * (2.0 / np.sqrt(0.3 * p))
    scores = X @ W + 0.5 * rng.standard_normal(k)
    return X, (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


def sparse_classes(n: int, p: int, density: float) -> tuple[sp.csr_array, np.ndarray]:
    """Two classes, CSR with positive entries in random places, like word counts."""
    rng = np.random.default_rng(5)
    X = sp.csr_array(sp.random_array((n, p), density=density, rng=rng, data_sampler=rng.random))
    z = X @ rng.standard_normal(p)
    z = 2.0 * (z - z.mean()) / z.std()
    return X, (rng.random(n) < 1.0 / (1.0 + np.exp(-z))).astype(np.int64)
