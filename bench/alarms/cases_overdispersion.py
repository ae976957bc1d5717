"""ER218: Poisson counts, and counts that vary more."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import PoissonRegressor

from bench.alarms.harness import FAULT, Rng, scenario
from empirisk.diagnosis import Context

CODE = "ER218"


def dispersion_rule(ctx: Context) -> bool:
    """Textbook rule: deviance over degrees of freedom above 1.5."""
    model = ctx.refit()
    y, m = np.asarray(ctx.oof.y, dtype=float), model.predict(ctx.X)
    log = np.log(np.where(y > 0, y, 1.0) / m)
    return bool(2.0 * np.sum(y * log - y + m) / (ctx.n - 1 - ctx.X.shape[1]) > 1.5)


def means(rng: Rng, n: int, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Five columns and means ``level exp(x b)`` with a spread of half a unit in the logarithm."""
    X = rng.normal(size=(n, 5))
    return X, level * np.exp(X @ np.full(5, 0.5 / np.sqrt(5.0)))


@scenario(CODE, "Poisson counts, mean 3", n=(60, 300, 6000), runs=400, rule=dispersion_rule)
def poisson(rng: Rng, n: int) -> dict[str, Any]:
    X, m = means(rng, n, 3.0)
    return {"est": PoissonRegressor(alpha=1.0 / n), "X": X, "y": rng.poisson(m)}


@scenario(CODE, "rare Poisson counts, mean 0.2", n=(300, 6000), runs=400, rule=dispersion_rule)
def rare(rng: Rng, n: int) -> dict[str, Any]:
    X, m = means(rng, n, 0.2)
    return {"est": PoissonRegressor(alpha=1.0 / n), "X": X, "y": rng.poisson(m)}


@scenario(
    CODE,
    "negative binomial, mean 3, variance m + m^2/2",
    truth=FAULT,
    n=(60, 300),
    rule=dispersion_rule,
    least=(60, 100),
)
def negative_binomial(rng: Rng, n: int) -> dict[str, Any]:
    X, m = means(rng, n, 3.0)
    return {"est": PoissonRegressor(alpha=1.0 / n), "X": X, "y": rng.poisson(m * rng.gamma(2.0, 0.5, size=n))}


@scenario(
    CODE,
    "rare negative binomial, mean 0.2, variance m + 2 m^2",
    truth=FAULT,
    n=(300, 6000),
    rule=dispersion_rule,
    least=(30, 100),
)
def rare_negative_binomial(rng: Rng, n: int) -> dict[str, Any]:
    X, m = means(rng, n, 0.2)
    return {"est": PoissonRegressor(alpha=1.0 / n), "X": X, "y": rng.poisson(m * rng.gamma(0.5, 2.0, size=n))}
