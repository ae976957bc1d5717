"""Proximal Newton on kept Hessians: optimality by the KKT conditions, few rows in the matrices, paths."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import Logistic, Poisson, Softmax
from empirisk.penalties import L1, ElasticNetPenalty
from empirisk.problems import LinearProblem
from empirisk.results import Status
from empirisk.solvers import KeptNewton, choose, solve
from empirisk.solvers.kept_metric import FEWEST_ROWS, KeptMetric, keep, keep_jointly
from empirisk.solvers.path import solve_path
from tests.oracles.kkt import violation

LOSSES = {"logistic": Logistic(), "poisson": Poisson(), "softmax": Softmax()}


def problem(
    loss: str, penalty: Any, n: int = 300, p: int = 6, k: int = 3, intercept: bool = True, dtype: Any = float
) -> LinearProblem:
    rng = np.random.default_rng(n + p + k)
    X = rng.standard_normal((n, p)) + rng.standard_normal(p)
    z = (X - X.mean(axis=0)) @ rng.standard_normal((p, k)) / np.sqrt(p)
    y = {
        "logistic": np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-2.0 * z[:, 0])), 1.0, -1.0),
        "poisson": rng.poisson(np.exp(0.5 * z[:, 0])).astype(float),
        "softmax": (2.0 * z + rng.gumbel(size=z.shape)).argmax(axis=1).astype(float),
    }[loss]
    data = ArrayBlocks(Design(X.astype(dtype)), y, rng.uniform(0.0, 2.0, n))
    return LinearProblem(LOSSES[loss], penalty, data, intercept, n_outputs=k if loss == "softmax" else 0)


def kkt(p: LinearProblem, w: np.ndarray) -> float:
    pen = p.penalty
    coef, b = p.split(w)
    return violation(
        p.loss.name, p.design.X, p.data.y, p.data.weight, coef, b, pen.l1, pen.l2,
        intercept=p.intercept, positive=pen.positive,
    )  # fmt: skip


@pytest.mark.parametrize("k", [3, 40])  # one Hessian over all classes, and one a class
@pytest.mark.parametrize("penalty", [L1(0.01), ElasticNetPenalty(0.02, 0.3), L1(0.01, positive=True)])
@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_the_optimality_conditions_hold(loss: str, penalty: Any, k: int) -> None:
    p = problem(loss, penalty, k=k, p=20 if k > 3 else 6)
    s = solve(p, "kept_newton", tol=1e-11)
    assert s.status.ok
    assert kkt(p, s.w) < 1e-6


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_matrices_of_few_rows_lead_to_the_optimum_of_all(loss: str) -> None:
    p = problem(loss, L1(0.01), n=4 * FEWEST_ROWS, p=3, intercept=False)
    made = (
        keep_jointly(p, p.null_evaluation) if loss == "softmax" else keep(p, p.null_evaluation, np.arange(3))
    )
    assert made.rows.step == 4
    s = solve(p, "kept_newton", tol=1e-10)
    assert s.status.ok
    assert kkt(p, s.w) < 1e-6


def test_a_column_that_the_rows_of_the_matrix_do_not_show_is_found() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4 * FEWEST_ROWS, 3))
    X[:, 2] = 0.0
    X[1::401, 2] = 1.0  # no row that is a multiple of 4 among most of these
    X[::4, 2] = 0.0
    y = np.where(X[:, 0] + 6.0 * X[:, 2] + rng.logistic(size=len(X)) > 0.0, 1.0, -1.0)
    p = LinearProblem(Logistic(), L1(1e-4), ArrayBlocks(Design(X), y, np.ones(len(y))), True)
    s = solve(p, "kept_newton", tol=1e-10)
    assert s.status.ok
    assert kkt(p, s.w) < 1e-6
    assert s.w[2] > 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_gram_matrix_is_that_of_the_definition(dtype: Any) -> None:
    p = problem("softmax", L1(0.01), n=60, p=5, dtype=dtype)
    e = p.evaluate(p.start() + 0.1)
    index = np.array([0, 2, 3])
    made = keep(p, e, index)
    q = np.exp(e.scores - e.scores.max(axis=1, keepdims=True))
    q /= q.sum(axis=1, keepdims=True)
    X, s = p.design.X.astype(float)[:, index], p.data.weight / p.data.weight.sum()
    for c in range(3):
        h = s * q[:, c] * (1.0 - q[:, c])
        mean = h @ X / h.sum()
        right = (X - mean).T @ (h[:, None] * (X - mean))
        scale = np.sqrt(np.outer(np.diag(right), np.diag(right)))
        assert np.abs(made.grams[c] - right).max() <= 3e-6 * scale.max()
        np.testing.assert_allclose(made.means[c], mean, rtol=1e-5, atol=1e-6)
    again = made.scaled(p, e)
    assert isinstance(again, KeptMetric)
    np.testing.assert_allclose(again.factors, 1.0, rtol=1e-12)


def test_a_path_hands_the_matrices_on_and_ends_where_single_fits_do() -> None:
    p = problem("logistic", L1(1.0), n=500, p=40)
    alphas = p.critical_strength() * np.logspace(0.0, -2.0, 8)
    path = solve_path(p, alphas, tol=1e-8)
    assert {s.solver for s in path} == {"kept_newton"}
    for alpha, s in zip(alphas, path, strict=True):
        alone = solve(p.with_strength(alpha), "prox_newton", tol=1e-8)
        assert s.status is Status.CERTIFIED
        assert (
            abs(p.with_strength(alpha).value(s.w) - p.with_strength(alpha).value(alone.w))
            <= 2e-8 * p.null_loss
        )


def test_wild_starts_are_left_for_the_null_model() -> None:
    p = problem("poisson", L1(0.01))
    s = solve(p, KeptNewton(), w0=np.full(p.shape, 1e4))
    assert s.status.ok
    assert kkt(p, s.w) < 1e-3


def test_auto_takes_it_for_rows_by_the_thousand_and_not_for_wide_tables() -> None:
    assert choose(problem("logistic", L1(0.01))) == "kept_newton"
    assert choose(problem("softmax", L1(0.01), k=200)) == "kept_newton"
    assert choose(problem("logistic", L1(0.01), n=20, p=30)) == "prox_newton"
    X = csr_array((40_000, 301))
    wide = LinearProblem(Logistic(), L1(0.1), ArrayBlocks(Design(X), np.ones(40_000), np.ones(40_000)), False)
    assert choose(wide) == "prox_newton"


@pytest.mark.parametrize("form", [csr_array, csc_array])
@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_sparse_columns_have_the_optimum_of_dense_ones(loss: str, form: Any) -> None:
    p = problem(loss, L1(0.01), n=2 * FEWEST_ROWS, k=3)
    X = np.where(p.design.X > 0.5, p.design.X, 0.0)
    thin, full = (replace(p, data=ArrayBlocks(Design(x), p.data.y, p.data.weight)) for x in (form(X), X))
    one, other = (solve(q, "kept_newton", tol=1e-10) for q in (thin, full))
    assert choose(thin) == "kept_newton"
    assert one.status.ok
    assert abs(full.value(one.w) - full.value(other.w)) <= 3e-10 * full.null_loss


def rare_levels(loss: str, n: int, k: int = 7) -> LinearProblem:
    """Return a problem with one column for each of 50 levels, most of which few rows have, beside 50 numbers
    that share a factor.
    """
    rng = np.random.default_rng(1)
    X = np.sqrt(0.5) * (rng.standard_normal((n, 100)) + rng.standard_normal((n, 1)))
    X[:, :50] = np.eye(50)[rng.choice(50, size=n, p=rng.dirichlet(np.full(50, 0.2)))]
    z = X @ (rng.standard_normal((100, 7)) * (rng.random((100, 1)) < 0.2)) / 2.0
    y = {
        "logistic": np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-z[:, 0])), 1.0, -1.0),
        "poisson": rng.poisson(np.exp(np.minimum(z[:, 0], 3.0))).astype(float),
        "softmax": (z[:, :k] + rng.gumbel(size=(n, k))).argmax(axis=1).astype(float),
    }[loss]
    data = ArrayBlocks(Design(X), y, np.ones(n))
    return LinearProblem(LOSSES[loss], L1(1e-5), data, True, n_outputs=k if loss == "softmax" else 0)


@pytest.mark.parametrize("n", [20_000, 40_000])
@pytest.mark.parametrize(("loss", "k"), [("logistic", 1), ("poisson", 1), ("softmax", 3), ("softmax", 7)])
def test_levels_that_few_rows_have_cost_few_passes(loss: str, k: int, n: int) -> None:
    """Evenly spaced rows miss the rarest levels: matrices of 2,000 rows alone take thousands of passes."""
    p = rare_levels(loss, n, k)
    s = solve(p, "kept_newton")
    assert s.status.ok
    assert s.n_passes <= 80
    assert kkt(p, s.w) < 1e-7
