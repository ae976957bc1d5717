"""What the settings of forests have in common: a setting, the samples with a known truth, the forest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import empirisk as er

Rng = np.random.Generator
Shares = dict[str, float]


@dataclass(frozen=True)
class Setting:
    """`draw` measures one sample: shares of intervals that hold the truth (and other numbers), by name.

    Those of the names `errors` are published with their standard error over the samples.
    """

    what: str
    draw: Callable[[Rng], Shares]
    samples: int
    errors: tuple[str, ...] = ()


def curve(X: NDArray) -> NDArray:
    """Return the mean of y at the rows of X."""
    return np.asarray(2.0 * np.sin(3.0 * X[:, 0]) + 2.0 * X[:, 1] ** 2)


def sample(n: int, noise: str, rng: Rng) -> tuple[NDArray, NDArray]:
    """Uniform columns and noise of the kind."""
    X = rng.uniform(-1.0, 1.0, size=(n, 5))
    made = {
        "even": lambda: rng.normal(size=n),
        "growing with a column": lambda: (0.2 + 2.0 * np.abs(X[:, 2])) * rng.normal(size=n),
        "skewed": lambda: rng.exponential(size=n) - 1.0,
        "lognormal": lambda: rng.lognormal(size=n) - np.exp(0.5),
        "rounded": lambda: rng.normal(size=n),
    }[noise]()
    y = curve(X) + made
    return X, np.round(y) if noise == "rounded" else y


def forest(trees: int, rng: Rng, leaf: int = 5) -> er.RandomForestRegressor:
    """Two of five columns at each node."""
    seed = int(rng.integers(2**31))
    return er.RandomForestRegressor(trees, max_features=2, min_samples_leaf=leaf, random_state=seed, n_jobs=1)


def default_forest(trees: int, rng: Rng) -> er.RandomForestRegressor:
    """All settings but the number of trees as they come."""
    return er.RandomForestRegressor(trees, random_state=int(rng.integers(2**31)), n_jobs=1)
