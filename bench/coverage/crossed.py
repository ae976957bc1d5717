"""Cross-validation: scores of an algorithm, differences of two, the best of many.

The truth is the expected score at the number of rows that a fold trains on; the models here are stable.
"""

from __future__ import annotations

import numpy as np
from scipy import special
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge

from bench.coverage.harness import Rng, Sample, case
from bench.coverage.held_out import latent
from empirisk.selection import best_of, compare, cross_evaluate

FEATURES, WEIGHT = 5, np.array([1.0, -0.7, 0.5, 0.0, 0.0])


def ols_risk(n: int) -> float:
    """Expected squared error of least squares with intercept: standard normal features, unit noise."""
    return (1.0 + 1.0 / n) * (1.0 + FEATURES / (n - FEATURES - 2.0))


def linear_sample(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(n, FEATURES))
    return X, X @ WEIGHT + rng.normal(size=n)


@case("squared error of least squares, 5-fold x 5, 60 rows", 300)
def cross_mse(rng: Rng) -> Sample:
    X, y = linear_sample(rng, 60)
    return cross_evaluate(LinearRegression(), X, y, metrics="mse", random_state=rng)["mse"], ols_risk(48)


@case(
    "squared error of least squares, one 5-fold, 60 rows",
    600,
    "one split: its own luck is not in the variance",
)
def cross_mse_one_split(rng: Rng) -> Sample:
    X, y = linear_sample(rng, 60)
    return cross_evaluate(LinearRegression(), X, y, metrics="mse", random_state=rng, repeats=1)[
        "mse"
    ], ols_risk(48)


def logistic_sample(rng: Rng, n: int) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(n, FEATURES))
    return X, (rng.random(n) < special.expit(1.5 * X @ WEIGHT)).astype(int)


def logistic() -> LogisticRegression:
    return LogisticRegression(C=1.0)


_TRUTH: dict[int, dict[str, float]] = {}


def logistic_truth(n: int) -> dict[str, float]:
    """Expected accuracy, log-loss, AUC and F1 of the algorithm trained on n rows: mean over 1500 fits."""
    if n not in _TRUTH:
        rng = np.random.default_rng(12345)
        Z = rng.normal(size=(4000, FEATURES))
        q = special.expit(1.5 * Z @ WEIGHT)
        total = np.zeros(4)
        for _ in range(1500):
            z = logistic().fit(*logistic_sample(rng, n)).decision_function(Z)
            tp, fp, fn = q[z > 0].sum(), (1 - q)[z > 0].sum(), q[z <= 0].sum()
            order = np.argsort(z)
            below = np.cumsum((1 - q)[order]) - 0.5 * (1 - q)[order]
            total += (
                np.mean(np.where(z > 0, q, 1 - q)),
                -np.mean(q * special.log_expit(z) + (1 - q) * special.log_expit(-z)),
                (q[order] @ below) / (q.sum() * (1 - q).sum()),
                2 * tp / (2 * tp + fp + fn),
            )
        _TRUTH[n] = dict(zip(("accuracy", "log_loss", "roc_auc", "f1"), total / 1500, strict=True))
    return _TRUTH[n]


def cross_logistic(metric: str, rng: Rng) -> Sample:
    X, y = logistic_sample(rng, 100)
    return cross_evaluate(logistic(), X, y, metrics=metric, random_state=rng)[metric], logistic_truth(80)[
        metric
    ]


@case("accuracy of logistic regression, 5-fold x 5, 100 rows", 200)
def cross_accuracy(rng: Rng) -> Sample:
    return cross_logistic("accuracy", rng)


@case("log-loss of logistic regression, 5-fold x 5, 100 rows", 200)
def cross_log_loss(rng: Rng) -> Sample:
    return cross_logistic("log_loss", rng)


@case("AUC of logistic regression, 5-fold x 5, 100 rows", 200)
def cross_auc(rng: Rng) -> Sample:
    return cross_logistic("roc_auc", rng)


@case("accuracy without any signal, 5-fold x 5, 100 rows", 250, "no signal is the hardest case")
def cross_no_signal(rng: Rng) -> Sample:
    X, y = rng.normal(size=(100, FEATURES)), (rng.random(100) < 0.5).astype(int)
    return cross_evaluate(logistic(), X, y, metrics="accuracy", random_state=rng)["accuracy"], 0.5


@case("F1 of logistic regression, 5-fold x 5, 100 rows", 200)
def cross_f1(rng: Rng) -> Sample:
    return cross_logistic("f1", rng)


@case("squared error with 30 groups of 4, group folds, 5-fold x 5", 300)
def cross_grouped_mse(rng: Rng) -> Sample:
    noise, g = latent(rng, 30, 4)
    x = rng.normal(size=(120, 1))
    e = cross_evaluate(MeanOnly(), x, noise, groups=g, metrics="mse", random_state=rng)["mse"]
    return e, 1.0 + (0.5 / 24 + 0.5 / 96)


class MeanOnly(LinearRegression):
    """The mean of the training targets: its risk is known exactly, ``Var(y) + Var(mean)``."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> MeanOnly:
        self.coef_, self.intercept_ = np.zeros(X.shape[1]), float(np.mean(y))
        return self


@case("squared-error difference of least squares and the mean, 100 rows", 300)
def compare_mse(rng: Rng) -> Sample:
    X, y = linear_sample(rng, 100)
    signal = float(WEIGHT @ WEIGHT)
    truth = ols_risk(80) - (1.0 + signal) * (1.0 + 1.0 / 80)
    return compare(LinearRegression(), MeanOnly(), X, y, metric="mse", random_state=rng).difference, truth


@case("R2 of least squares, 5-fold x 5, 200 rows", 200)
def cross_r2(rng: Rng) -> Sample:
    X, y = linear_sample(rng, 200)
    truth = 1.0 - ols_risk(160) / (1.0 + float(WEIGHT @ WEIGHT))
    return cross_evaluate(LinearRegression(), X, y, metrics="r2", random_state=rng)["r2"], truth


_RIDGE: dict[float, float] = {}


def ridge_risk(alpha: float, n: int) -> float:
    """Expected squared error of ridge trained on n rows: mean of exact conditional risks over 4000 fits."""
    if alpha not in _RIDGE:
        rng, total = np.random.default_rng(7), 0.0
        for _ in range(4000):
            m = Ridge(alpha).fit(*linear_sample(rng, n))
            total += 1.0 + float(np.sum((m.coef_ - WEIGHT) ** 2)) + m.intercept_**2
        _RIDGE[alpha] = total / 4000
    return _RIDGE[alpha]


@case(
    "squared-error difference of ridge and strong ridge, 100 rows",
    300,
    "noise of the rows and of the fits cancels: cautious",
)
def compare_ridge(rng: Rng) -> Sample:
    X, y = linear_sample(rng, 100)
    truth = ridge_risk(1.0, 80) - ridge_risk(50.0, 80)
    return compare(Ridge(1.0), Ridge(50.0), X, y, metric="mse", random_state=rng).difference, truth


@case("accuracy of the best of 20 coins, 200 rows", 1000, "cautious where no candidate has any signal")
def best_of_coins(rng: Rng) -> Sample:
    return best_of(rng.random((200, 20)) < 0.5, 5, random_state=rng, n_bootstrap=200), 0.5
