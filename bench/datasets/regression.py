"""Simulated regression data, Fortran-ordered where columns are worked on."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def dense_regression(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Independent normal columns, all of them relevant, signal-to-noise ratio about 1."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    w = rng.standard_normal(p) / np.sqrt(p)
    return X, X @ w + rng.standard_normal(n) + 1.0


def wide_regression(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Independent normal columns, 50 of them relevant."""
    rng = np.random.default_rng(1)
    X = np.asfortranarray(rng.standard_normal((n, p)))
    w = np.zeros(p)
    relevant = rng.choice(p, size=min(50, p // 5), replace=False)
    w[relevant] = rng.choice([-1.0, 1.0], size=len(relevant))
    z = X @ w
    return X, z + z.std() / 3.0 * rng.standard_normal(n)


def sparse_regression(n: int, p: int, density: float) -> tuple[sp.csc_array, np.ndarray]:
    """CSC with normal entries in random places, 100 columns relevant."""
    rng = np.random.default_rng(2)
    X = sp.csc_array(sp.random_array((n, p), density=density, rng=rng, data_sampler=rng.standard_normal))
    w = np.zeros(p)
    w[rng.choice(p, size=min(100, p // 5), replace=False)] = 1.0
    z = X @ w
    return X, z + z.std() / 3.0 * rng.standard_normal(n)


def heavy_regression(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns of unlike sizes and errors with three degrees of freedom: outliers of every size."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((n, p))
    y = X @ rng.standard_normal(p) / np.sqrt(p) + rng.standard_t(3, size=n) + 1.0
    return X * np.geomspace(0.1, 10.0, p), y


def skewed_regression(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns and a target with exponential errors: what bootstrap intervals are made for."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, p))
    return X, X @ np.full(p, 0.3) + rng.exponential(size=n)
