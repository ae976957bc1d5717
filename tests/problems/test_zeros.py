"""Counts without a minimiser: against exact enumeration, and on data whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import Gamma, NegativeBinomial, Poisson, Tweedie
from empirisk.penalties import L1, L2, Zero
from empirisk.problems import LinearProblem
from empirisk.problems.separation import zeros_run_off
from empirisk.results import Status
from empirisk.solvers import solve
from tests.oracles import rational

COUNTS = [Poisson(), NegativeBinomial(0.5), Tweedie(1.4)]


def problem(X, y, loss=None, penalty=None, intercept=True, weight=None):
    X = X if sp.issparse(X) else np.asarray(X, dtype=float)
    weight = np.ones(len(y)) if weight is None else weight
    data = ArrayBlocks(Design(X), np.asarray(y, dtype=float), weight)
    return LinearProblem(loss or Poisson(), penalty or Zero(), data, intercept)


def runs_off(X, y, intercept):
    """The definition: rows with y > 0 count both ways, so that they can only stand still."""
    rows = [[*map(int, x), *[1] * intercept] for x in X]
    signed = [[-v for v in row] for row in rows]
    both = [row for row, target in zip(rows, y, strict=True) if target > 0]
    return any(rational.strict_rows(rational.rationals(signed + both)))


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("trial", range(40))
def test_agrees_with_exact_enumeration(trial, intercept):
    rng = np.random.default_rng([trial, 7])
    n, p = int(rng.integers(3, 8)), int(rng.integers(1, 4))
    X = rng.integers(-1, 2, size=(n, p))
    y = rng.poisson(rng.choice([0.2, 0.6, 1.5]), size=n)
    right = runs_off(X, y, intercept)
    said = zeros_run_off(problem(X, y, intercept=intercept))
    assert bool(said) == right, said
    status = solve(problem(X, y, intercept=intercept)).status
    assert (status is Status.UNBOUNDED) == right
    assert status.ok or right


def test_enumeration_sees_both_answers():
    answers = set()
    for trial in range(40):
        rng = np.random.default_rng([trial, 7])
        n, p = int(rng.integers(3, 8)), int(rng.integers(1, 4))
        X = rng.integers(-1, 2, size=(n, p))
        answers.add(runs_off(X, rng.poisson(rng.choice([0.2, 0.6, 1.5]), size=n), True))
    assert answers == {True, False}


@pytest.mark.parametrize("loss", COUNTS, ids=lambda loss: loss.name)
def test_all_targets_zero(loss, rng):
    X = rng.normal(size=(30, 2))
    solution = solve(problem(X, np.zeros(30), loss))
    assert solution.status is Status.UNBOUNDED
    assert "every target is 0, so that the intercept falls without end" in solution.sentence
    assert "add a penalty" in solution.sentence
    # Without an intercept rows on all sides hold each other; rows on one side do not.
    assert solve(problem(X, np.zeros(30), loss, intercept=False)).status is Status.CERTIFIED
    assert solve(problem(np.abs(X), np.zeros(30), loss, intercept=False)).status is Status.UNBOUNDED


@pytest.mark.parametrize("penalty", [L2(0.1), L1(0.1)], ids=lambda penalty: penalty.name)
def test_all_targets_zero_with_a_penalty_and_a_free_intercept(penalty, rng):
    """The penalty does not hold the intercept: the mean falls to 0 all the same, and nothing is certified."""
    solution = solve(problem(rng.normal(size=(30, 2)), np.zeros(30), penalty=penalty))
    assert solution.status is Status.UNBOUNDED
    assert "every target is 0" in solution.sentence


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, sp.csc_array])
def test_a_column_that_marks_zeros(storage, rng):
    X = rng.normal(size=(400, 3))
    mark = (rng.random(400) < 0.1).astype(float)
    y = rng.poisson(2.0, size=400) * (mark == 0.0)
    marked = storage(np.column_stack([X, mark]))
    solution = solve(problem(marked, y))
    assert solution.status is Status.UNBOUNDED
    assert f"x3 can tell {int(mark.sum())} rows of target 0 from all rows" in solution.sentence
    y[np.flatnonzero(mark)[0]] = 1.0  # one event among the marked rows is enough
    assert solve(problem(marked, y)).status is Status.CERTIFIED
    weight = np.ones(400)
    weight[np.flatnonzero(mark)[0]] = 0.0  # unless it is absent
    assert solve(problem(marked, y, weight=weight)).status is Status.UNBOUNDED


def test_collinear_columns_and_positive_targets_are_bounded(rng):
    x = rng.normal(size=(50, 1))
    X, y = np.hstack([x, 2.0 * x]), rng.poisson(1.0, size=50)
    assert zeros_run_off(problem(X, y)) == ""
    assert solve(problem(X, y)).status.ok
    assert solve(problem(X, y + 0.5, Gamma())).status.ok
