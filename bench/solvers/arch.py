"""arch.bootstrap: one Python call a resample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.solvers.base import Solver

LIBRARY = "arch"


def _ends(statistic: Callable[..., Any], pick: Callable[..., Any], X: Any, y: Any, strength: Any) -> Any:
    from arch.bootstrap import IIDBootstrap  # optional: it is not among the dependencies of the benchmarks

    found = IIDBootstrap(*pick(X, y), seed=0).conf_int(statistic, reps=9999, method="bca")
    return float(found[0, 0]), float(found[1, 0])


def _slope(Z: Any, t: Any) -> Any:
    return np.linalg.solve(Z.T @ Z, Z.T @ t)[1]


def _design(X: Any, y: Any) -> Any:
    return np.column_stack([np.ones(len(y)), X]), y


def _correlation(x: Any, y: Any) -> Any:
    return np.corrcoef(x, y)[0, 1]


SOLVERS = {
    name: [Solver(LIBRARY, "IIDBootstrap", lambda X, y, a, s=statistic, p=pick: _ends(s, p, X, y, a))]
    for name, statistic, pick in (
        ("bootstrap_mean", np.mean, lambda X, y: (y,)),
        ("bootstrap_median", np.median, lambda X, y: (y,)),
        ("bootstrap_correlation", _correlation, lambda X, y: (X[:, 0], y)),
        ("bootstrap_regression", _slope, _design),
    )
}
