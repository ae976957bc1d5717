"""scipy.stats.bootstrap: at its default (all resamples at once) and at the batch sizes that suit it best."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import stats

from bench.solvers.base import Solver

LIBRARY = "scipy"


def _correlation(x: Any, y: Any, axis: int) -> Any:
    u, v = x - x.mean(axis=axis, keepdims=True), y - y.mean(axis=axis, keepdims=True)
    return np.sum(u * v, axis=axis) / np.sqrt(np.sum(u * u, axis=axis) * np.sum(v * v, axis=axis))


def _slope(*columns: Any, axis: int) -> Any:
    """First slope of least squares by batched normal equations; the target comes last."""
    Z = np.stack([np.ones_like(columns[0]), *columns], axis=-1)
    products = np.swapaxes(Z[..., :-1], -1, -2) @ Z
    return np.linalg.solve(products[..., :-1], products[..., -1:])[..., 1, 0]


def _ends(statistic: Any, paired: bool, batch: int | None, pick: Any, X: Any, y: Any, strength: Any) -> Any:
    found = stats.bootstrap(
        pick(X, y), statistic, paired=paired, vectorized=True, method="BCa", batch=batch, random_state=0
    ).confidence_interval
    return float(found.low), float(found.high)


def _solvers(statistic: Any, paired: bool, pick: Any, batches: tuple[int | None, ...]) -> list[Solver]:
    return [
        Solver(LIBRARY, "default" if b is None else f"batch={b}", partial(_ends, statistic, paired, b, pick))
        for b in batches
    ]


def _only_y(X: Any, y: Any) -> Any:
    return (y,)


SOLVERS = {
    "bootstrap_mean": _solvers(np.mean, False, _only_y, (None, 20, 100)),
    "bootstrap_median": _solvers(np.median, False, _only_y, (None, 20, 100)),
    "bootstrap_correlation": _solvers(
        _correlation, True, lambda X, y: (np.ascontiguousarray(X[:, 0]), y), (None, 20, 100)
    ),
    "bootstrap_regression": _solvers(_slope, True, lambda X, y: (*X.T, y), (20, 100)),
}
