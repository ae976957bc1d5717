"""Paths begin where the first coefficient may enter: at that strength 0 is optimal, just below it is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.data import ArrayBlocks, Design
from empirisk.estimators.linear.tune import alpha_grid
from empirisk.losses import REGISTRY as LOSSES
from empirisk.losses import Offset
from empirisk.penalties import L1, ElasticNetPenalty, GroupLasso, Penalty, SortedL1
from empirisk.problems import LinearProblem
from empirisk.solvers import solve

PENALTIES: dict[str, Penalty] = {
    "l1": L1(1.0),
    "l1 positive": L1(1.0, positive=True),
    "elastic net": ElasticNetPenalty(1.0, 0.3),
    "elastic net positive": ElasticNetPenalty(1.0, 0.7, positive=True),
    "group lasso": GroupLasso(1.0, [[0, 1], [2, 3]]),
    "group lasso, weights": GroupLasso(1.0, [[0, 3], [1], [2]], [1.0, 0.2, 3.0]),
    "sorted l1": SortedL1(1.0),
    "sorted l1, weights": SortedL1(1.0, [1.0, 0.5, 0.5, 0.0]),
}
SMOOTH = (
    "half_squared",
    "logistic",
    "huber",
    "poisson",
    "gamma",
    "squared_hinge",
    "modified_huber",
    "softmax",
)


def problem(
    loss: str, penalty: Penalty, rng: np.random.Generator, *, intercept: bool = True
) -> LinearProblem:
    """Thirty weighted rows, columns of unlike means and scales."""
    X = rng.normal(size=(30, 4)) * [1.0, 5.0, 0.2, 1.0] + [3.0, 0.0, 1.0, -2.0]
    z = X[:, 0] - 3.0 + rng.normal(size=30)
    made, k = LOSSES[loss](), 0
    y: Any = z
    if made.labels:
        y = np.where(z > 0.0, 1.0, -1.0)
    elif loss == "softmax":
        y, k = rng.integers(0, 3, 30), 3
    elif loss in ("poisson", "gamma"):
        y = np.exp(0.3 * z)
    data = ArrayBlocks(Design(X), y, rng.choice([0.0, 0.5, 1.0, 3.0], 30))
    return LinearProblem(made, penalty, data, intercept, n_outputs=k)


def check(p: LinearProblem) -> None:
    """Zero is optimal at the critical strength and above, and not below it."""
    top = p.critical_strength()
    zero = p.null
    _, grad = p.evaluate(zero).loss, p.evaluate(zero).grad
    size = float(np.abs(p.split(grad)[0]).max()) or 1.0
    w0, g0 = p.split(zero)[0], p.split(grad)[0]
    assert np.max(p.penalty.with_strength(top).subdiff_distance(w0, g0)) <= 1e-12 * size
    above = solve(p.with_strength(top * (1.0 + 1e-3) + 1e-9 * size), tol=1e-10)
    assert np.abs(p.split(above.w)[0]).max() <= 1e-6
    if top > 0.0:
        assert np.max(p.penalty.with_strength(0.999 * top).subdiff_distance(w0, g0)) >= 1e-6 * top
        below = solve(p.with_strength(0.9 * top), tol=1e-10)
        assert np.abs(p.split(below.w)[0]).max() > 1e-5


@pytest.mark.parametrize("name", PENALTIES)
@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("intercept", [True, False])
def test_zero_is_optimal_from_the_critical_strength_on(
    loss: str, name: str, intercept: bool, rng: np.random.Generator
) -> None:
    penalty = PENALTIES[name]
    if loss == "softmax" and (penalty.positive or name == "sorted l1, weights"):
        return  # no solver holds scores of several classes at or above 0; the weights are for four numbers
    check(problem(loss, penalty, rng, intercept=intercept))


@pytest.mark.parametrize("name", PENALTIES)
def test_with_several_targets_and_with_offsets(name: str, rng: np.random.Generator) -> None:
    p = problem("poisson", PENALTIES[name], rng)
    y = np.column_stack([p.data.y, rng.normal(size=30)])
    check(replace(p, loss=Offset(p.loss), data=ArrayBlocks(p.design, np.asfortranarray(y), p.data.weight)))
    if PENALTIES[name].separable:
        Y = rng.normal(size=(30, 2))
        several = replace(problem("half_squared", PENALTIES[name], rng), n_outputs=2)
        several = replace(several, data=ArrayBlocks(several.design, Y, several.data.weight))
        grad = several.split(several.evaluate(several.null).grad)[0]
        one = [
            replace(
                several,
                data=ArrayBlocks(several.design, np.ascontiguousarray(c), several.data.weight),
                n_outputs=0,
            )
            for c in Y.T
        ]
        assert several.critical_strength() == pytest.approx(
            max(q.critical_strength() for q in one), rel=1e-12
        )
        assert grad.shape == (4, 2)


@pytest.mark.parametrize("name", PENALTIES)
def test_where_no_strength_lets_a_coefficient_in_the_grid_has_the_scale_of_the_slopes(name: str) -> None:
    X = np.abs(np.random.default_rng(0).standard_normal((50, 4)))
    y = -X.sum(axis=1)
    p = LinearProblem(LOSSES["half_squared"](), PENALTIES[name], ArrayBlocks(Design(X), y, np.ones(50)), True)
    largest = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / 50
    grid = alpha_grid(p, 10)
    if PENALTIES[name].positive:
        assert p.critical_strength() == 0.0
        assert grid[0] == pytest.approx(largest, rel=1e-12)
    else:
        assert grid[0] == p.critical_strength() > 0.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: er.Lasso(positive=True),
        lambda: er.ElasticNet(positive=True),
        lambda: er.Lasso(),
        lambda: er.LogisticRegression(l1_ratio=1.0),
        lambda: er.HuberRegressor(alpha="cv", l1_ratio=1.0, scale=1.0),
        lambda: er.PoissonRegressor(alpha="cv", l1_ratio=1.0),
        lambda: er.PenalizedRegressor(penalty="group_lasso"),
    ],
)
def test_the_first_fit_of_a_path_is_empty_and_a_later_one_is_not(make: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 4))
    y = X[:, 0] + 0.5 * rng.normal(size=60)
    est = make()
    if hasattr(est, "class_weight"):
        y = (y > 0.0).astype(int)
    elif "Poisson" in type(est).__name__:
        y = np.exp(0.3 * y)
    p = er.path(est, X, y, rng.uniform(0.5, 2.0, 60), alphas=8)
    assert np.abs(p.coefs[0]).max() <= 1e-7
    assert np.abs(p.coefs[1]).max() > 1e-4
