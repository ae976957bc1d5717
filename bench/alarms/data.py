"""Samples that the scenarios of several findings draw from."""

from __future__ import annotations

import numpy as np

Rng = np.random.Generator


def linear(
    rng: Rng, n: int, d: int = 5, noise: str = "normal", snr: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """``y = X b + e`` with equal coefficients, variance of the signal `snr` times that of normal noise."""
    X = rng.normal(size=(n, d))
    e = rng.normal(size=n) if noise == "normal" else rng.standard_t(3, size=n) / np.sqrt(3.0)
    return X, X @ np.full(d, np.sqrt(snr / d)) + e


def curved(rng: Rng, n: int, a: float, d: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Linear with a square of size `a` in the first column."""
    X, y = linear(rng, n, d)
    return X, y + a * (X[:, 0] ** 2 - 1.0) / np.sqrt(2.0)


def logistic(
    rng: Rng, n: int, d: int = 5, size: float = 1.5, a: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Two classes with log-odds ``X b`` of standard deviation `size`, plus a square of size `a`."""
    X = rng.normal(size=(n, d))
    z = X @ np.full(d, size / np.sqrt(d)) + a * (X[:, 0] ** 2 - 1.0)
    return X, (rng.random(n) < 1.0 / (1.0 + np.exp(-z))).astype(int)


def three_classes(rng: Rng, n: int, d: int = 5, size: float = 1.5) -> tuple[np.ndarray, np.ndarray]:
    """Three classes from a linear softmax."""
    X = rng.normal(size=(n, d))
    B = np.array([[1.0, -0.5, -0.5], [0.0, 1.0, -1.0]])
    z = size * X[:, :2] @ B
    return X, (z + rng.gumbel(size=z.shape)).argmax(axis=1)


def grouped(
    rng: Rng, n: int, groups: int, d: int = 5, spread: float = 0.7
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Linear with a random level of every group in y and in the columns."""
    g = np.sort(rng.integers(groups, size=n))
    g = np.unique(g, return_inverse=True)[1]
    X = rng.normal(size=(n, d)) + spread * rng.normal(size=(groups, d))[g]
    y = X @ np.full(d, 1.0 / np.sqrt(d)) + rng.normal(size=n) + spread * rng.normal(size=groups)[g]
    return X, y, g


def levels(rng: Rng, n: int, signal: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Two categorical columns (4 and 8 levels) and two numbers; two classes, additive log-odds."""
    a, b = rng.integers(4, size=n), rng.integers(8, size=n)
    x = rng.normal(size=(n, 2))
    z = signal * (np.array([-1.0, 0.0, 0.5, 0.5])[a] + np.linspace(-1.0, 1.0, 8)[b] + x[:, 0])
    table = np.empty((n, 4), dtype=object)
    table[:, 0], table[:, 1] = np.array(list("ABCD"))[a], np.array(list("stuvwxyz"))[b]
    table[:, 2:] = x
    return table, (rng.random(n) < 1.0 / (1.0 + np.exp(-z))).astype(int)


def friedman(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Friedman's function of 10 uniform columns (5 matter), over 5; noise of standard deviation 1/2."""
    X = rng.random((n, 10))
    f = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, f / 5.0 + rng.normal(size=n) / 2.0
