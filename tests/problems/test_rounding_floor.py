"""The rounding floor of a duality gap: as large as the sums that were added up, and told at the optimum."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import HalfSquared, Logistic
from empirisk.penalties import L2
from empirisk.problems import LinearProblem
from empirisk.results import Kind, Status
from empirisk.solvers import solve

EPS = float(np.finfo(np.float64).eps)


def problem(name: str, rng: np.random.Generator, shift: float = 0.0) -> LinearProblem:
    X = rng.normal(size=(40, 3)) + shift
    z = X @ [1.0, -0.5, 0.2] + rng.normal(size=40)
    y = z if name == "half_squared" else np.where(z > np.median(z), 1.0, -1.0)
    loss = HalfSquared() if name == "half_squared" else Logistic()
    return LinearProblem(loss, L2(0.1), ArrayBlocks(Design(X), y, np.ones(40)), True)


@pytest.mark.parametrize("name", ["half_squared", "logistic"])
def test_the_floor_is_the_rounding_of_what_was_added(name: str, rng: np.random.Generator) -> None:
    p = problem(name, rng)
    w = rng.normal(size=4)
    certificate = p.certify(w)
    assert certificate.kind is Kind.DUALITY_GAP
    # 8 eps times the objective alone, by its definition.
    z = p.design.X @ w[:3] + w[3]
    y = np.asarray(p.data.y)
    loss = 0.5 * (z - y) ** 2 if name == "half_squared" else np.log1p(np.exp(-y * z))
    objective = loss.mean() + 0.05 * float(w[:3] @ w[:3])
    assert certificate.floor >= 8.0 * EPS * objective
    assert certificate.value >= certificate.floor


@pytest.mark.parametrize("name", ["half_squared", "logistic"])
def test_a_solve_that_wants_more_than_rounding_allows_says_so(name: str, rng: np.random.Generator) -> None:
    p = problem(name, rng)
    solution = solve(p, "newton", tol=0.0)
    assert solution.status is Status.FLOOR
    assert solution.certificate.at_floor
    assert solution.certificate.value == solution.certificate.floor > 0.0


def test_scores_that_cancel_raise_the_floor(rng: np.random.Generator) -> None:
    near, far = problem("logistic", rng), problem("logistic", rng, shift=1e3)
    w = np.array([1.0, -2.0, 1.0, 0.0])  # columns of mean 1000 whose parts of a score cancel
    assert far.certify(w).floor > 100.0 * near.certify(w).floor
