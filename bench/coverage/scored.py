"""Cross-validation of models that still learn, of long tails and of metrics that the fit does not minimise.

The truth is that of the models that were scored: the mean of their risks, exact or on many fresh rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy import special
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import empirisk as er
from bench.coverage.harness import Rng, Sample, case
from empirisk.evaluation.sample import Sample as Rows
from empirisk.selection import GridSearch, compare, cross_evaluate

Table = tuple[np.ndarray, np.ndarray]
Draw = Callable[[Rng, int], Table]
Noise = Callable[[Rng, int], np.ndarray]


class LeastSquares(RegressorMixin, BaseEstimator):
    """Least squares with an intercept on the first `columns` columns, by the normal equations."""

    def __init__(self, columns: int | None = None, alpha: float = 0.0) -> None:
        self.columns = columns
        self.alpha = alpha

    def fit(self, X: np.ndarray, y: np.ndarray) -> LeastSquares:
        Z = X[:, : self.columns]
        mean = Z.mean(axis=0)
        gram = (Z - mean).T @ (Z - mean) + self.alpha * np.eye(Z.shape[1])
        self.coef_ = np.linalg.solve(gram, (Z - mean).T @ (y - y.mean()))
        self.intercept_ = float(y.mean() - mean @ self.coef_)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X[:, : self.columns] @ self.coef_ + self.intercept_


def normal(rng: Rng, n: int) -> np.ndarray:
    return rng.normal(size=n)


def exponential(rng: Rng, n: int) -> np.ndarray:
    return rng.exponential(size=n) - 1.0


def lognormal(rng: Rng, n: int) -> np.ndarray:
    return np.exp(rng.normal(size=n)) - math.exp(0.5)


def t3(rng: Rng, n: int) -> np.ndarray:
    return rng.standard_t(3, size=n)


VARIANCE = {normal: 1.0, exponential: 1.0, lognormal: math.e * (math.e - 1.0), t3: 3.0}


@cache
def quantiles(noise: Noise) -> np.ndarray:
    """Twenty thousand equally likely values of the noise."""
    u = (np.arange(20_000) + 0.5) / 20_000
    if noise is exponential:
        return -np.log1p(-u) - 1.0
    if noise is t3:
        return special.stdtrit(3, u)
    z = special.ndtri(u)
    return z if noise is normal else np.exp(z) - math.exp(0.5)


class Linear:
    """Normal columns: slopes 1, -0.7, 0.5, and the strength `weak` spread over all of them."""

    def __init__(self, columns: int, noise: Noise, weak: float = 0.0) -> None:
        self.noise = noise
        self.slopes = np.full(columns, math.sqrt(weak / columns))
        self.slopes[:3] += [1.0, -0.7, 0.5]

    def __call__(self, rng: Rng, n: int) -> Table:
        X = rng.normal(size=(n, self.slopes.size))
        return X, X @ self.slopes + self.noise(rng, n)

    def squared(self, model: LeastSquares) -> float:
        """Exact expected squared error of a fitted model."""
        left = self.slopes.copy()
        left[: model.coef_.size] -= model.coef_
        return VARIANCE[self.noise] + float(left @ left) + model.intercept_**2

    def absolute(self, model: LeastSquares) -> float:
        """Expected absolute error of a fitted model: ``E|a - s z|`` for normal z, a mean over the noise."""
        a = quantiles(self.noise) - model.intercept_
        s = float(np.linalg.norm(self.slopes - model.coef_))
        folded = s * math.sqrt(2.0 / math.pi) * np.exp(-0.5 * (a / s) ** 2) + a * special.erf(
            a / s / math.sqrt(2.0)
        )
        return float(folded.mean())

    def expected(self, columns: int, n: int) -> float:
        """Exact expected squared error of least squares on the first columns of n rows (normal noise)."""
        rest = float(np.sum(self.slopes[columns:] ** 2))
        return (1.0 + rest) * (1.0 + 1.0 / n) * (1.0 + columns / (n - columns - 2.0))


def waves(rng: Rng, n: int) -> Table:
    """A smooth surface over four columns with little noise."""
    X = rng.uniform(-2.0, 2.0, size=(n, 4))
    return X, np.sin(2.0 * X[:, 0]) * X[:, 1] + X[:, 2] ** 2 / 2.0 + 0.2 * rng.normal(size=n)


LOSSES: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "mse": lambda y, f: float(np.mean((y - f) ** 2)),
    "mae": lambda y, f: float(np.mean(np.abs(y - f))),
    "f1": lambda y, f: float(f1_score(y, f)),
    "balanced_accuracy": lambda y, f: float(balanced_accuracy_score(y, f)),
}


@cache
def fresh(draw: Draw, n: int) -> Table:
    """Many rows to score the models of the folds on."""
    return draw(np.random.default_rng(77), n)


def risk(models: list[Any], draw: Draw, metric: str, n: int = 20_000) -> float:
    """Mean score of fitted models: exact, or on fresh rows."""
    if isinstance(draw, Linear):
        exact = draw.squared if metric == "mse" else draw.absolute
        return float(np.mean([exact(m) for m in models]))
    Z, y = fresh(draw, n)
    return float(np.mean([LOSSES[metric](y, m.predict(Z)) for m in models]))


def scored(est: Any, draw: Draw, n: int, metric: str, rng: Rng) -> Sample:
    """The estimate, and the mean risk of the models behind it."""
    X, y = draw(rng, n)
    e = cross_evaluate(est, X, y, metrics=metric, random_state=rng)
    models = [clone(est).fit(X[train], y[train]) for train, _ in e.plan.splits]
    return e[metric], risk(models, draw, metric)


def row(what: str, samples: int, est: Any, draw: Draw, n: int, metric: str, remark: str = "") -> None:
    """Register one setting of :func:`scored` as a case of the table."""

    def drawn(rng: Rng) -> Sample:
        return scored(est, draw, n, metric, rng)

    drawn.__name__ = "scored_" + "".join(c if c.isalnum() else "_" for c in what)
    case(f"{what}, {n} rows", samples, remark)(drawn)


BOOSTING = er.GradientBoostingRegressor(n_estimators=30)
SHORT = "the interval says that 80 rows cannot show the tail"
LONG = "the interval says that the tail is long"
row("squared error of 65 columns", 1000, LeastSquares(), Linear(65, normal), 250, "mse")
row("squared error of 300 columns", 60, LeastSquares(), Linear(300, normal), 1200, "mse")
row("squared error of 5 nearest neighbours", 60, KNeighborsRegressor(5), waves, 1500, "mse")
row("squared error of an unpruned tree", 60, DecisionTreeRegressor(), waves, 1500, "mse")
row("squared error of boosting", 30, BOOSTING, waves, 800, "mse")
row("squared error, exponential noise", 300, LeastSquares(), Linear(5, exponential), 80, "mse", SHORT)
row("absolute error, exponential noise", 300, LeastSquares(), Linear(5, exponential), 80, "mae")
row("squared error, lognormal noise", 300, LeastSquares(), Linear(5, lognormal), 80, "mse", SHORT)
row("squared error, much lognormal noise", 100, LeastSquares(), Linear(5, lognormal), 1500, "mse", LONG)
row("absolute error, lognormal noise", 300, LeastSquares(), Linear(5, lognormal), 80, "mae")
row("absolute error, much lognormal noise", 100, LeastSquares(), Linear(5, lognormal), 1500, "mae")
row("squared error, t3 noise", 300, LeastSquares(), Linear(5, t3), 80, "mse", SHORT)


def rare(rng: Rng, n: int) -> Table:
    """About 15 % of the rows are positive."""
    X = rng.normal(size=(n, 4))
    return X, (rng.random(n) < special.expit(1.5 * X[:, 0] - 2.4)).astype(int)


row("F1 with 15 % positives", 80, LogisticRegression(), rare, 1500, "f1")
row("balanced accuracy with 15 % positives", 80, LogisticRegression(), rare, 1500, "balanced_accuracy")


def differences(a: Any, b: Any, draw: Draw, n: int, rng: Rng) -> Sample:
    """The paired difference, and that of the models behind it."""
    X, y = draw(rng, n)
    seed = int(rng.integers(1 << 31))
    d = compare(a, b, X, y, metric="mse", random_state=seed).difference
    plan = Rows.of(a, X, y).plan(None, 2, seed)
    fits = [[clone(m).fit(X[train], y[train]) for train, _ in plan.splits] for m in (a, b)]
    return d, risk(fits[0], draw, "mse") - risk(fits[1], draw, "mse")


@case("difference of 300 columns and 5 of them, curves that cross after 960, 1200 rows", 60)
def compare_crossing(rng: Rng) -> Sample:
    return differences(LeastSquares(), LeastSquares(5), CROSSING, 1200, rng)


CROSSING = Linear(300, normal, weak=0.37)


@case("the same about the expected difference at 960 rows", 80)
def compare_crossing_expected(rng: Rng) -> Sample:
    X, y = CROSSING(rng, 1200)
    truth = CROSSING.expected(300, 960) - CROSSING.expected(5, 960)
    return compare(LeastSquares(), LeastSquares(5), X, y, metric="mse", random_state=rng).difference, truth


@case("difference of a tree and 5 nearest neighbours, 400 rows", 60)
def compare_tree_neighbours(rng: Rng) -> Sample:
    return differences(DecisionTreeRegressor(min_samples_leaf=3), KNeighborsRegressor(5), waves, 400, rng)


def chosen(draw: Draw, n: int, rng: Rng) -> Sample:
    """The score of a grid search, and the mean risk of the models of the settings that it chose."""
    X, y = draw(rng, n)
    grid = {"alpha": [0.01, 1.0, 10.0, 30.0, 100.0]}
    seed = int(rng.integers(1 << 31))
    search = GridSearch(LeastSquares(), grid, metric="mse", repeats=2, random_state=seed)
    search.fit(X, y)
    best = LeastSquares(**search.best_params_)
    plan = Rows.of(best, X, y).plan(None, 2, seed)
    models = [clone(best).fit(X[train], y[train]) for train, _ in plan.splits]
    return search.best_score_, risk(models, draw, "mse")


RIDGE = {name: Linear(5, noise) for name, noise in (("exponential", exponential), ("lognormal", lognormal))}


@case("squared error of the chosen ridge, exponential noise, 80 rows", 200, SHORT)
def search_exponential(rng: Rng) -> Sample:
    return chosen(RIDGE["exponential"], 80, rng)


@case("squared error of the chosen ridge, lognormal noise, 80 rows", 200, SHORT)
def search_lognormal(rng: Rng) -> Sample:
    return chosen(RIDGE["lognormal"], 80, rng)
