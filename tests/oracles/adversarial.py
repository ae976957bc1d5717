"""Small awkward fits by a seed: shifted columns and targets, float32, few rows, whole numbers, wild weights.

Rows and shifts are numbers whose sums are exact, so that the problem without the shifts is the same one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import empirisk as er

MAKERS: dict[str, Callable[[float], Any]] = {
    "ridge": lambda a: er.Ridge(a),
    "lasso": lambda a: er.Lasso(a),
    "elastic net": lambda a: er.ElasticNet(a),
    "absolute, L2": lambda a: er.LeastAbsoluteDeviations(a, l1_ratio=0.0),
    "absolute, L1": lambda a: er.LeastAbsoluteDeviations(a, l1_ratio=1.0),
    "quantile, L2": lambda a: er.QuantileRegressor(0.3, alpha=a, l1_ratio=0.0),
    "quantile, both": lambda a: er.QuantileRegressor(0.3, alpha=a, l1_ratio=0.5),
    "huber, L2": lambda a: er.HuberRegressor(scale=1.0, alpha=a),
    "huber, L1": lambda a: er.HuberRegressor(scale=0.5, alpha=a, l1_ratio=1.0),
    "tube": lambda a: er.LinearSVR(a, epsilon=0.1),
    "squared tube": lambda a: er.LinearSVR(a, epsilon=0.1, loss="squared_epsilon_insensitive"),
    "hinge": lambda a: er.LinearSVC(a),
    "squared hinge": lambda a: er.LinearSVC(a, loss="squared_hinge"),
    "logistic, L2": lambda a: er.LogisticRegression(a),
    "logistic, L1": lambda a: er.LogisticRegression(a, l1_ratio=1.0),
    "poisson": lambda a: er.PoissonRegressor(a),
    "gamma": lambda a: er.GammaRegressor(a),
}
CLASSES = {"hinge", "squared hinge", "logistic, L2", "logistic, L1"}
COUNTS = {"poisson", "gamma"}


@dataclass(frozen=True)
class Awkward:
    """A fit and the same one near 0: ``X = rows + columns``, ``y = targets + target``, exactly."""

    name: str
    alpha: float
    X: np.ndarray
    y: np.ndarray
    rows: np.ndarray
    targets: np.ndarray
    columns: np.ndarray
    target: float
    weight: np.ndarray | None

    def make(self, **more: Any) -> Any:
        """Return a fresh estimator of this case, some of its parameters replaced."""
        return MAKERS[self.name](self.alpha).set_params(**more)


def rows_for(name: str, g: np.random.Generator, n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows on a grid of 1/64, so that sums are exact and ties occur."""
    X = g.integers(-3, 4, (n, p)).astype(float)
    if g.random() < 0.5:
        X = np.round(g.standard_normal((n, p)) * 64.0) / 64.0
    if name in CLASSES:
        k = 2 if n < 6 else int(g.choice([2, 3]))
        return X, np.concatenate([np.arange(k), g.integers(0, k, n - k)])
    if name in COUNTS:
        return X, g.integers(0, 8, n) + np.where(np.arange(n) == 0, 1.0, float(name == "gamma"))
    return X, np.round((X[:, 0] + g.standard_normal(n)) * 64.0) / 64.0


def awkward(seed: int) -> Awkward:
    """Return the awkward fit that belongs to this seed."""
    g = np.random.default_rng(seed)
    name = list(MAKERS)[seed % len(MAKERS)]
    p = int(g.integers(1, 4))
    X, y = rows_for(name, g, int(g.integers(4 if name in CLASSES else 1, 16)), p)
    single = g.random() < 0.35
    c = np.where(g.random(p) < 0.6, 10.0 ** g.integers(1, 6 if single else 14, p), 0.0)
    moves = name not in CLASSES | COUNTS and g.random() < 0.6
    t = 10.0 ** float(g.integers(1, 15)) if moves else 0.0
    far_X = (X + c).astype(np.float32 if single else np.float64)
    far_y = y + t if moves else y
    weight = None if g.random() < 0.7 else np.maximum(g.integers(0, 4, len(y)).astype(float), 1e-12)
    alpha = float(10.0 ** g.integers(-8, 1))
    return Awkward(name, alpha, far_X, far_y, far_X - c, far_y - t if moves else y, c, t, weight)
