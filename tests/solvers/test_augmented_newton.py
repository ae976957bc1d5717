"""Newton's method on augmented Lagrangians where it takes its short cuts: many rows, parts and near rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import Absolute, EpsilonInsensitive, Hinge, Quantile
from empirisk.penalties import L2
from empirisk.problems import LinearProblem
from empirisk.results import Status
from empirisk.solvers import choose, solve
from empirisk.solvers.augmented_newton import AugmentedNewton
from empirisk.solvers.envelope import root


def rows(loss: Any, rng: np.random.Generator, n: int = 12_000, p: int = 4) -> LinearProblem:
    X = rng.normal(size=(n, p)) * [1.0, 10.0, 0.1, 1.0] + [0.0, 3.0, 0.0, -1.0]
    z = X @ [1.0, 0.1, 3.0, -1.0] + 2.0 * rng.normal(size=n)
    y = np.where(z > 1.0, 1.0, -1.0) if loss.labels else 50.0 * z
    s = rng.integers(0, 3, size=n).astype(float)
    return LinearProblem(loss, L2(1.0 / n), ArrayBlocks(Design(X), y, s), True)


@pytest.mark.parametrize(
    "loss", [Hinge(), Absolute(), Quantile(0.9), EpsilonInsensitive(20.0)], ids=lambda loss: loss.name
)
def test_many_rows(loss: Any, rng: np.random.Generator) -> None:
    problem = rows(loss, rng)
    assert choose(problem) == "augmented_newton"
    found = solve(problem, "augmented_newton", tol=1e-10)
    assert found.status is Status.CERTIFIED, found.sentence
    exact = solve(problem, "interior_point", tol=1e-10)
    best = problem.value(exact.w)
    assert problem.value(found.w) == pytest.approx(best, rel=1e-9)
    assert found.n_passes < 60


def test_sparse_and_dense_agree(rng: np.random.Generator) -> None:
    problem = rows(Hinge(), rng)
    X = problem.design.X * (rng.random(problem.design.shape) < 0.4)
    answers = []
    for make in (np.ascontiguousarray, np.asfortranarray, sp.csr_array, sp.csc_array):
        data = ArrayBlocks(Design(make(X)), problem.data.y, problem.data.weight)
        answers.append(solve(LinearProblem(Hinge(), L2(1e-3), data), "augmented_newton", tol=1e-11).w)
    for answer in answers[1:]:
        np.testing.assert_allclose(answer, answers[0], atol=1e-5)


def test_rounds_set_rows_aside_and_take_them_back(rng: np.random.Generator) -> None:
    """From a start whose near rows are all wrong the optimum is found all the same."""
    problem = rows(Hinge(), rng)
    wrong = problem.zeros()
    wrong[0], wrong[-1] = -30.0, 10.0
    found = solve(problem, "augmented_newton", w0=wrong, tol=1e-10)
    assert found.status is Status.CERTIFIED
    assert problem.value(found.w) == pytest.approx(
        problem.value(solve(problem, "interior_point", tol=1e-10).w), rel=1e-9
    )


def test_steps_lower_the_gap(rng: np.random.Generator) -> None:
    problem, solver = rows(Hinge(), rng), AugmentedNewton()
    state = solver.init(problem, None)
    gaps = []
    for _ in range(8):
        state = solver.step(problem, state)
        gaps.append(problem.certify(state.w, theta=state.hint).relative)
    assert gaps[-1] < min(1e-4, gaps[0])


def test_root_of_a_kinked_derivative() -> None:
    kinks = np.array([0.3, 2.0, 2.1, 40.0])

    def derivative(t: float) -> float:
        return float(-3.0 + 0.01 * t + (t > kinks).sum())

    found = root(derivative, derivative(0.0))
    assert derivative(found) <= 0.3
    assert found == pytest.approx(2.1, abs=1e-3) or abs(derivative(found)) <= 0.3
