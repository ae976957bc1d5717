"""Dual coordinate ascent: the free intercept, weights, costs, precision, and certificates on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import CostSensitive, EpsilonInsensitive, Hinge, Logistic, SquaredHinge
from empirisk.penalties import L2
from empirisk.problems import LinearProblem
from empirisk.results import Status
from empirisk.solvers import solve
from empirisk.solvers.sdca import SDCA


def classes(rng: np.random.Generator, n: int = 300, p: int = 40) -> tuple[Any, Any]:
    X = rng.normal(size=(n, p)) + 1.0
    return X, np.where(X @ rng.normal(size=p) + 3.0 * rng.normal(size=n) > X.mean() * 2.0, 1.0, -1.0)


def build(
    loss: Any, X: Any, y: Any, s: Any = None, alpha: float = 0.05, intercept: bool = True
) -> LinearProblem:
    s = np.ones(len(y)) if s is None else s
    return LinearProblem(loss, L2(alpha), ArrayBlocks(Design(X), y, s), intercept)


@pytest.mark.parametrize("loss", [Hinge(), SquaredHinge(), Logistic()], ids=lambda loss: loss.name)
def test_the_intercept_is_free(loss: Any, rng: np.random.Generator) -> None:
    """The minimum is that of the problem with a free intercept, to the certified gap."""
    X, y = classes(rng)
    problem = build(loss, X - 1.0, y)
    found = solve(problem, "sdca", tol=1e-9)
    assert found.status is Status.CERTIFIED
    other = solve(problem, "interior_point" if loss.name == "hinge" else "newton", tol=1e-11)
    assert problem.value(found.w) - problem.value(other.w) <= 1.1e-9
    assert abs(found.w[-1]) > 1e-3


@pytest.mark.parametrize("make", [np.ascontiguousarray, np.asfortranarray, sp.csr_array, sp.csc_array])
def test_layouts_agree(make: Any, rng: np.random.Generator) -> None:
    X, y = classes(rng)
    X[rng.random(X.shape) < 0.7] = 0.0
    expected = solve(build(Hinge(), X, y), "interior_point", tol=1e-10)
    found = solve(build(Hinge(), make(X), y), "sdca", tol=1e-10)
    assert found.status is Status.CERTIFIED
    np.testing.assert_allclose(found.w[:-1], expected.w[:-1], atol=1e-4)


def test_weights_are_repetition_and_costs_are_weights(rng: np.random.Generator) -> None:
    X, y = classes(rng, 60, 8)
    s = rng.integers(0, 4, size=60).astype(float)
    rows = np.repeat(np.arange(60), s.astype(int))
    same(
        build(EpsilonInsensitive(0.2), X, X[:, 0], s),
        build(EpsilonInsensitive(0.2), X[rows], X[rows, 0]),
    )
    costs = np.where(y > 0.0, 5.0, 0.5)
    same(
        build(CostSensitive(Hinge(), 5.0, 0.5), X, y),
        build(Hinge(), X, y, costs, 0.05 / costs.mean()),
        costs.mean(),
    )


def same(a: LinearProblem, b: LinearProblem, factor: float = 1.0) -> None:
    """Each solution is as good for the other problem (smaller by a factor) as its gap says."""
    first, second = solve(a, "sdca", tol=1e-7), solve(b, "sdca", tol=1e-7)
    assert first.certificate.within(1e-3)
    assert second.certificate.within(1e-3)
    assert a.value(second.w) - a.value(first.w) <= factor * second.certificate.value + 1e-12
    assert b.value(first.w) - b.value(second.w) <= first.certificate.value / factor + 1e-12


def test_a_stopped_run_tells_the_truth(rng: np.random.Generator) -> None:
    X, y = classes(rng)
    problem = build(Hinge(), X, y, alpha=1e-3)
    best = problem.value(solve(problem, "interior_point", tol=1e-12).w)
    for steps in (1, 2, 4):
        stopped = solve(problem, "sdca", tol=1e-14, max_steps=steps)
        assert stopped.status is Status.MAX_STEPS
        assert problem.value(stopped.w) - best <= stopped.certificate.value + 1e-15
        again = problem.certify(stopped.w, theta=stopped.dual)
        assert again.value == pytest.approx(stopped.certificate.value, rel=1e-9, abs=1e-15)


def test_the_seed_decides_the_order(rng: np.random.Generator) -> None:
    X, y = classes(rng)
    problem = build(Hinge(), X, y)
    runs = [solve(problem, SDCA(seed=seed), max_steps=1).w for seed in (0, 0, 1)]
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_rows_of_zeros_and_duplicates(rng: np.random.Generator) -> None:
    X, y = classes(rng, 50, 5)
    X[:10] = 0.0
    X[20:30], y[20:30] = X[30:40], -y[30:40]  # the same rows with either label
    for intercept in (True, False):
        problem = build(Hinge(), X, y, intercept=intercept)
        found = solve(problem, "sdca", tol=1e-9)
        assert found.status is Status.CERTIFIED
        exact = solve(problem, "interior_point", tol=1e-12)
        assert problem.value(found.w) == pytest.approx(problem.value(exact.w), abs=2e-9)


def test_float32(rng: np.random.Generator) -> None:
    X, y = classes(rng)
    problem = build(Hinge(), X.astype(np.float32), y)
    found = solve(problem, "sdca")
    assert found.status.ok
    exact = solve(replace(problem, data=ArrayBlocks(Design(X), y, np.ones(300))), "interior_point")
    np.testing.assert_allclose(found.w[:-1], exact.w[:-1], atol=5e-3)
