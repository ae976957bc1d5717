"""Paths: every point certified by itself, the same as a cold solve, and against the homotopy method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_diabetes
from sklearn.linear_model import lars_path

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import HalfSquared, Logistic, Softmax
from empirisk.penalties import L1, L2, ElasticNetPenalty
from empirisk.problems import LinearProblem
from empirisk.results import Status
from empirisk.solvers.path import solve_path
from empirisk.solvers.solve import solve
from tests.oracles.kkt import violation


def problem(
    loss: Any, penalty: Any, form: Any = np.asfortranarray, shape: tuple[int, int] = (60, 200)
) -> LinearProblem:
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape)
    z = X[:, :5] @ np.ones(5) + rng.standard_normal(shape[0])
    y = {"half_squared": z, "logistic": np.sign(z), "softmax": np.digitize(z, [-1.0, 1.0])}[loss.name]
    outputs = 3 if loss.name == "softmax" else 0
    return LinearProblem(loss, penalty, ArrayBlocks(Design(form(X)), y, np.ones(len(z))), n_outputs=outputs)


@pytest.mark.parametrize("form", [np.asfortranarray, np.ascontiguousarray, sp.csc_array, sp.csr_array])
@pytest.mark.parametrize("loss", [HalfSquared(), Logistic(), Softmax()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("ratio", [1.0, 0.7])
def test_every_point_is_optimal(loss: Any, form: Any, ratio: float) -> None:
    p = problem(loss, ElasticNetPenalty(1.0, ratio), form)
    alphas = p.critical_strength() * np.geomspace(1.0, 0.05, 8)
    X = p.design.X.toarray() if sp.issparse(p.design.X) else p.design.X
    for alpha, solution in zip(alphas, solve_path(p, alphas, tol=1e-8), strict=True):
        assert solution.status is Status.CERTIFIED, solution.sentence
        here = p.with_strength(alpha)
        assert here.certify(solution.w).within(2e-8)
        coef, b = solution.w[:-1], solution.w[-1]
        worst = violation(loss.name, X, p.data.y, p.data.weight, coef, b, here.penalty.l1, here.penalty.l2)
        assert worst <= 0.02 * here.penalty.l1


def test_diabetes_against_the_homotopy_method() -> None:
    # lars_path follows the exact piecewise linear path and shares no code with coordinate descent.
    X, y = load_diabetes(return_X_y=True)
    X = X - X.mean(axis=0)
    knots, _, coefs = lars_path(X, y - y.mean(), method="lasso")
    p = LinearProblem(HalfSquared(), L1(1.0), ArrayBlocks(Design(X), y, np.ones(len(y))))
    alphas = np.concatenate([knots[:-1], 0.5 * (knots[1:-1] + knots[:-2])])
    alphas = np.sort(alphas)[::-1]
    for alpha, solution in zip(alphas, solve_path(p, alphas, tol=1e-13), strict=True):
        right = np.array([np.interp(alpha, knots[::-1], c[::-1]) for c in coefs])
        assert np.abs(solution.w[:-1] - right).max() <= 1e-5 * np.abs(coefs).max()
        assert solution.w[-1] == pytest.approx(y.mean())


def test_a_point_costs_about_one_pass() -> None:
    p = problem(HalfSquared(), L1(1.0), shape=(100, 2000))
    alphas = p.critical_strength() * np.geomspace(1.0, 0.02, 60)
    path = solve_path(p, alphas)
    assert all(s.status is Status.CERTIFIED for s in path)
    assert sum(s.n_passes for s in path) <= 1.3 * 60
    cold = sum(solve(p.with_strength(a), "coordinate").n_passes for a in alphas[::6]) * 6
    assert sum(s.n_passes for s in path) < 0.5 * cold


@pytest.mark.parametrize("order", [1, -1])
def test_any_order_and_repeats(order: int) -> None:
    p = problem(HalfSquared(), L1(1.0))
    alphas = (p.critical_strength() * np.array([0.5, 0.5, 0.1, 0.3]))[::order]
    for alpha, solution in zip(alphas, solve_path(p, alphas, tol=1e-12), strict=True):
        assert np.abs(solution.w - solve(p.with_strength(alpha), tol=1e-12).w).max() <= 1e-5


def test_other_penalties_and_solvers_start_from_the_point_before() -> None:
    p = problem(Logistic(), L2(1.0), shape=(60, 10))
    alphas = [1.0, 0.1, 0.01]
    for options in ({}, {"solver": "lbfgs"}):
        path = solve_path(p, alphas, tol=1e-8, **options)
        for alpha, solution in zip(alphas, path, strict=True):
            assert p.with_strength(alpha).certify(solution.w).within(1e-7)
    assert solve_path(p, []) == []


def test_step_limit_is_reported_at_each_point() -> None:
    p = problem(HalfSquared(), L1(1.0), shape=(60, 3000))
    alpha = p.critical_strength() / 100
    path = solve_path(p, [alpha, alpha / 2], tol=1e-12, max_steps=1)
    assert path[0].status is Status.MAX_STEPS
    assert path[0].certificate.value > 0.0
