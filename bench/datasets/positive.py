"""Simulated counts and durations: with a linear logarithm of the mean, or of one law for all rows."""

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


def waiting(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return n durations of one Gamma law, as a column and as targets."""
    x = np.random.default_rng(10).gamma(2.5, 1.5, size=n)
    return x[:, None], x


def claims(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return n counts of one negative binomial law of mean 3 and variance 9, as a column and as targets."""
    x = np.random.default_rng(11).negative_binomial(1.5, 1.0 / 3.0, size=n).astype(np.float64)
    return x[:, None], x
