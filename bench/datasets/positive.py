"""Simulated counts and durations whose logarithm of the mean is linear."""

from __future__ import annotations

import numpy as np


def _log_mean(n: int, p: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, X @ (rng.standard_normal(p) * (0.5 / np.sqrt(p))), rng


def counts(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows with Poisson counts whose mean is about 1.1."""
    X, z, rng = _log_mean(n, p, 6)
    return X, rng.poisson(np.exp(z)).astype(np.float64)


def durations(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows with Gamma durations whose coefficient of variation is 0.7."""
    X, z, rng = _log_mean(n, p, 7)
    return X, np.exp(z) * np.maximum(rng.gamma(2.0, 0.5, size=n), 1e-12)
