"""ER217: whether the upper limit and the bracket from repeated rows hold the true noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate, stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge

from bench.alarms.harness import INTERVAL, Event, Rng, scenario
from empirisk.diagnosis import Answer, Context
from empirisk.diagnosis.noise_ceiling import ceiling

CODE = "ER217"
SIZE = 2.0


def bayes_error(size: float) -> float:
    """``E[min(eta, 1 - eta)]`` for log-odds that are normal with standard deviation `size`."""
    value, _ = integrate.quad(lambda z: stats.norm.pdf(z) / (1.0 + np.exp(abs(size * z))), -12.0, 12.0)
    return float(value)


BAYES = bayes_error(SIZE)


def misses_error(ctx: Context, answer: Answer) -> bool:
    """Whether the Bayes error lies above the upper limit or outside the bracket."""
    c = ceiling(ctx)
    if c.low is None or c.high is None:
        return c.upper < BAYES
    return not c.low <= BAYES <= c.high


def misses_variance(ctx: Context, answer: Answer) -> bool:
    """Whether the noise variance 1 lies above the upper limit or outside the bracket."""
    c = ceiling(ctx)
    if c.low is None or c.high is None:
        return c.upper < 1.0
    return not c.low <= 1.0 <= c.high


def classes(rng: Rng, n: int, twice: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two classes of normal log-odds; the first `twice` rows are measured again."""
    X = rng.normal(size=(n - twice, 3))
    X = np.vstack([X, X[:twice]])
    z = SIZE / np.sqrt(3.0) * X.sum(axis=1)
    return X, (rng.random(n) < 1.0 / (1.0 + np.exp(-z))).astype(int)


@scenario(CODE, "logistic, upper limit", truth=INTERVAL, n=(100, 400), runs=300, event=misses_error)
def upper(rng: Rng, n: int) -> dict[str, Any]:
    X, y = classes(rng, n)
    return {"est": LogisticRegression(), "X": X, "y": y}


@scenario(CODE, "random forest, upper limit", truth=INTERVAL, n=200, runs=100, event=misses_error)
def upper_forest(rng: Rng, n: int) -> dict[str, Any]:
    X, y = classes(rng, n)
    return {"est": RandomForestClassifier(30, random_state=0), "X": X, "y": y}


@scenario(CODE, "two classes, a tenth of the rows measured twice", truth=INTERVAL, n=(400, 2000), runs=200,
          event=misses_error)  # fmt: skip
def twice(rng: Rng, n: int) -> dict[str, Any]:
    X, y = classes(rng, n, n // 10)
    return {"est": LogisticRegression(), "X": X, "y": y, "replicates": "equal"}


@scenario(CODE, "numbers, upper limit", truth=INTERVAL, n=(100, 400), runs=400, event=misses_variance)
def upper_numbers(rng: Rng, n: int) -> dict[str, Any]:
    X = rng.normal(size=(n, 5))
    return {"est": Ridge(1.0), "X": X, "y": X.sum(axis=1) + rng.normal(size=n)}


@scenario(
    CODE,
    "numbers, a tenth of the rows measured twice",
    truth=INTERVAL,
    n=400,
    runs=400,
    event=misses_variance,
)
def twice_numbers(rng: Rng, n: int) -> dict[str, Any]:
    X = rng.normal(size=(n - n // 10, 5))
    X = np.vstack([X, X[: n // 10]])
    return {"est": Ridge(1.0), "X": X, "y": X[:, 0] ** 2 + rng.normal(size=n), "replicates": "equal"}


def misses(truth: float) -> Event:
    """Whether the limits exclude the noise, or each other."""

    def event(ctx: Context, answer: Answer) -> bool:
        c = ceiling(ctx)
        return c.upper < truth or (c.low is not None and c.low > truth)

    return event


@scenario(CODE, "equal rows hold all of the noise: coins on one profile", truth=INTERVAL, n=(300, 1000),
          runs=200, event=misses(0.1))  # fmt: skip
def coins(rng: Rng, n: int) -> dict[str, Any]:
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] > 0.0).astype(int)
    tossed = rng.random(n) < 0.2
    X[tossed], y[tossed] = 1.0, rng.integers(0, 2, int(tossed.sum()))
    return {"est": LogisticRegression(), "X": X, "y": y}


@scenario(CODE, "equal rows of a coarse grid, two classes", truth=INTERVAL, n=(300, 1000), runs=200,
          event=misses(0.2))  # fmt: skip
def grid(rng: Rng, n: int) -> dict[str, Any]:
    X = rng.integers(0, 5, size=(n, 2)).astype(float)
    y = (X.sum(axis=1) > 3.5) ^ (rng.random(n) < 0.2)
    return {"est": LogisticRegression(), "X": X, "y": y.astype(int)}


@scenario(CODE, "equal rows hold all of the noise: numbers, lognormal noise", truth=INTERVAL, n=(300, 1000),
          runs=200, event=misses(0.2))  # fmt: skip
def skewed_numbers(rng: Rng, n: int) -> dict[str, Any]:
    X = rng.normal(size=(n, 3))
    noisy = rng.random(n) < 0.2
    X[noisy] = 1.0
    noise = rng.lognormal(size=n) / np.sqrt((np.e - 1.0) * np.e)
    return {"est": Ridge(1e-3), "X": X, "y": X[:, 0] + noise * noisy}
