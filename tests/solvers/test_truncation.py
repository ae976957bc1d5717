"""Exact zeros of stochastic descents with an L1 part: those of the exact optimum, at no higher objective."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize_scalar

import empirisk as er
from empirisk.solvers.stochastic_rows import stochastic_rows
from empirisk.solvers.truncation import slopes_of, truncate, truncated_step

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 20))
W = np.zeros(20)
W[:5] = [2.0, -1.5, 1.0, 1.0, -2.0]
Y = X @ W + 0.5 * RNG.normal(size=600)
CLASS = (X @ W + RNG.logistic(size=600) > 0.0).astype(int)
THREE = np.argmax(X[:, :3] + 0.3 * RNG.gumbel(size=(600, 3)), axis=1)
RARE = sp.random(1500, 80, 0.1, random_state=0, format="csr")
RARE_Y = RARE[:, :8] @ np.full(8, 3.0) + 0.1 * RNG.normal(size=1500)


def sgd(loss: str, **more: Any) -> Any:
    kind = er.SGDClassifier if loss in ("logistic", "squared_hinge", "hinge") else er.SGDRegressor
    return kind(loss, **{"l1_ratio": 1.0, "n_epochs": 40, **more})


def pattern(exact: Any, X: Any, y: Any) -> Any:
    """Return the zeros of an exact fit, after a look that they are far from being decided by rounding."""
    exact.fit(X, y)
    problem = exact.problem(X, y)
    w = exact._pack(problem)
    coef, slope = (problem.split(part)[0] for part in (w, problem.evaluate(w).grad))
    assert np.all(np.abs(slope[coef == 0.0]) < 0.9 * problem.penalty.l1)
    assert np.abs(coef[coef != 0.0]).min() > 0.05
    return exact.coef_ == 0.0


@pytest.mark.parametrize("output", ["suffix", "average", "last", "best"])
@pytest.mark.parametrize("batch", [1, 10])
def test_the_zeros_are_those_of_the_lasso(output: str, batch: int) -> None:
    model = sgd("half_squared", alpha=0.15, output=output, batch_size=batch).fit(X, Y)
    zeros = pattern(er.Lasso(alpha=0.15, tol=1e-10), X, Y)
    assert zeros.sum() == 15
    np.testing.assert_array_equal(model.coef_ == 0.0, zeros)


@pytest.mark.parametrize("momentum", [0.0, 0.5])
def test_the_zeros_are_those_of_the_elastic_net(momentum: float) -> None:
    model = sgd("half_squared", alpha=0.2, l1_ratio=0.7, momentum=momentum).fit(X, Y)
    zeros = pattern(er.ElasticNet(alpha=0.2, l1_ratio=0.7, tol=1e-10), X, Y)
    np.testing.assert_array_equal(model.coef_ == 0.0, zeros)


@pytest.mark.parametrize(("y", "alpha"), [(CLASS, 0.07)])
def test_the_zeros_are_those_of_l1_logistic_regression(y: Any, alpha: float) -> None:
    model = sgd("logistic", alpha=alpha).fit(X, y)
    zeros = pattern(er.LogisticRegression(alpha=alpha, l1_ratio=1.0, tol=1e-10), X, y)
    assert 0 < zeros.sum() < 20
    np.testing.assert_array_equal(model.coef_ == 0.0, zeros)


def test_every_class_against_the_rest_has_its_zeros() -> None:
    model = sgd("squared_hinge", alpha=0.1).fit(X, THREE)
    exact = er.LinearSVC(alpha=0.1, loss="squared_hinge", penalty="l1", tol=1e-10).fit(X, THREE)
    np.testing.assert_array_equal(model.coef_ == 0.0, exact.coef_ == 0.0)
    assert np.all((model.coef_ == 0.0).sum(axis=1) >= 15)


def test_sparse_rows_and_weights() -> None:
    weight = 1.0 + np.arange(1500) % 3
    model = sgd("half_squared", alpha=0.02).fit(RARE, RARE_Y, weight)
    exact = er.Lasso(alpha=0.02, tol=1e-10).fit(RARE, RARE_Y, weight)
    np.testing.assert_array_equal(model.coef_ == 0.0, exact.coef_ == 0.0)


def test_a_loose_tolerance_has_zeros_too() -> None:
    tied = X + 2.0 * RNG.normal(size=(600, 1))
    y = tied @ W + 0.5 * RNG.normal(size=600)
    zeros = pattern(er.Lasso(alpha=0.1, tol=1e-10), tied, y)
    model = sgd("half_squared", alpha=0.1, n_epochs=5, tol=1e-3).fit(tied, y)
    assert model.solution_.solver == "svrg"
    assert model.certificate_.within(1e-3)
    assert not np.any((model.coef_ != 0.0) & zeros)


@pytest.mark.parametrize(
    "loss", ["half_squared", "huber", "absolute", "poisson", "logistic", "squared_hinge", "hinge"]
)
def test_no_step_raises_the_objective(loss: str) -> None:
    y = np.exp(Y / 4) if loss == "poisson" else CLASS if isinstance(sgd(loss), er.SGDClassifier) else Y
    problem = sgd(loss, alpha=0.1, l1_ratio=0.8).problem(X, y)
    rows = stochastic_rows(problem)
    for size in (0.0, 0.01, 1.0):
        w = size * np.random.default_rng(1).normal(size=21)
        after, e, passes = truncate(problem, rows, w, problem.evaluate(w))
        assert problem.value(after) <= problem.value(w) * (1.0 + 1e-12)
        assert e.loss == problem.evaluate(after).loss
        assert passes > 0


def test_without_an_l1_part_nothing_moves() -> None:
    problem = sgd("half_squared", alpha=0.1, l1_ratio=0.0).problem(X, Y)
    w = np.ones(21)
    after, _, passes = truncate(problem, stochastic_rows(problem), w, problem.evaluate(w))
    assert after is w
    assert passes == 0


@pytest.mark.parametrize("low", [None, 0.0])
def test_a_step_is_the_minimum_of_its_model(low: float | None) -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        v, g, L = rng.normal(), rng.normal(), math.exp(rng.normal())
        l1, l2 = rng.uniform(0.0, 1.5), rng.uniform(0.0, 2.0)
        parts = {
            "l1": np.array([l1]), "l2": np.array([l2]), "low": None if low is None else np.array([low]),
        }  # fmt: skip
        found = truncated_step(np.array([v]), np.array([g]), L, parts)[0]

        def model(t: float, v=v, g=g, L=L, l1=l1, l2=l2) -> float:
            return g * t + 0.5 * L * (t - v) ** 2 + l1 * abs(t) + 0.5 * l2 * t * t

        ends = [(0.0, 20.0)] if low is not None else [(-20.0, 0.0), (0.0, 20.0)]
        best = min(
            (minimize_scalar(model, bounds=e, method="bounded", options={"xatol": 1e-10}) for e in ends),
            key=lambda r: r.fun,
        )
        assert model(found) <= best.fun + 1e-12
        assert abs(found - best.x) < 1e-6


def test_slopes_of_dual_values_are_the_gradient() -> None:
    problem = sgd("half_squared", alpha=0.1).problem(X, Y, 1.0 + np.arange(600) % 2)
    w = np.random.default_rng(3).normal(size=21)
    theta = problem.data.y - problem.scores(w)
    np.testing.assert_allclose(slopes_of(problem, theta), problem.evaluate(w).grad, rtol=1e-12, atol=1e-12)
