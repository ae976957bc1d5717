"""Small random problems on the edge: few rows, weak L1 parts, columns and targets of wild sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import empirisk as er

__all__ = ["FAMILIES", "Small", "small"]

Draw = np.random.Generator


class Small(NamedTuple):
    """An estimator and the rows to fit it to."""

    family: str
    model: Any
    X: Any
    y: Any
    weight: Any


def counts(g: Draw, n: int) -> Any:
    return g.poisson(10.0 ** g.uniform(-1.0, 1.5), n).astype(float)


def numbers(g: Draw, n: int) -> Any:
    far = 10.0 ** g.uniform(0.0, 9.0) if g.random() < 0.3 else 0.0
    return g.standard_normal(n) * 10.0 ** g.uniform(-6.0, 9.0) + far


def labels(g: Draw, n: int) -> Any:
    y = (g.random(n) < g.uniform(0.1, 0.9)).astype(int)
    y[0], y[-1] = 0, 1
    return y


def classes(g: Draw, n: int) -> Any:
    return np.arange(n) % min(n, int(g.integers(3, 9)))


def glm(family: str, **more: Any) -> Callable[..., Any]:
    return lambda **k: er.GeneralizedLinearModel(family, **more, **k)


FAMILIES: dict[str, tuple[Callable[..., Any], Callable[[Draw, int], Any]]] = {
    "poisson": (er.PoissonRegressor, counts),
    "tweedie": (er.TweedieRegressor, counts),
    "gamma": (er.GammaRegressor, lambda g, n: counts(g, n) + 0.1),
    "huber": (er.HuberRegressor, numbers),
    "logistic": (er.LogisticRegression, labels),
    "multinomial": (er.LogisticRegression, classes),
    "probit": (glm("binomial", link="probit"), lambda g, n: labels(g, n).astype(float)),
    "cloglog": (glm("binomial", link="cloglog"), lambda g, n: labels(g, n).astype(float)),
    "negative binomial": (glm("negative_binomial"), counts),
    "squared tube": (lambda **k: er.LinearSVR(loss="squared_epsilon_insensitive", **k), numbers),
    "elastic net": (er.ElasticNet, numbers),
    "quantile": (lambda **k: er.QuantileRegressor(0.3, **k), numbers),
}


def small(seed: int) -> Small:
    """Return the small random problem that belongs to a seed."""
    g = np.random.default_rng(seed)
    n, p = int(g.integers(3, 31)), int(g.integers(1, 6))
    X = g.standard_normal((n, p)) * 10.0 ** g.uniform(-5.0, 5.0, p)
    X = np.round(X) if g.random() < 0.3 else X
    X = X + 10.0 ** g.uniform(0.0, 8.0) if g.random() < 0.3 else X
    if g.random() < 0.2:
        X[:, -1] = X[:, 0]
    X = X.astype(np.float32) if g.random() < 0.3 else X
    options = {
        "alpha": float(10.0 ** g.uniform(-9.0, 0.0)),
        "l1_ratio": float(g.choice([1.0, 0.999, 0.5, 0.3])),
        "fit_intercept": bool(g.random() < 0.7),
    }
    family = list(FAMILIES)[int(g.integers(len(FAMILIES)))]
    make, targets = FAMILIES[family]
    weight = None if g.random() < 0.7 else 10.0 ** g.uniform(-3.0, 3.0, n)
    return Small(family, make(**options), X, targets(g, n), weight)
