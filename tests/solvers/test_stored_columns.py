"""Stochastic steps on sparse rows cost what the cells cost: empty columns take no part in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.losses.half_squared import HalfSquared
from empirisk.penalties import ElasticNetPenalty
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.sgd import SGD
from empirisk.solvers.solve import solve
from empirisk.solvers.stochastic_rows import stochastic_rows
from empirisk.solvers.svrg import SVRG

PLACES = np.array([3, 4, 90, 500, 999])


def problems(intercept: bool, penalty: Any) -> tuple[LinearProblem, LinearProblem]:
    """The same rows with and without 995 empty columns."""
    g = np.random.default_rng(0)
    few = sp.csr_array(g.normal(size=(60, 5)) * (g.random((60, 5)) < 0.5))
    wide = sp.csr_array((few.data, PLACES[few.indices], few.indptr), shape=(60, 1000))
    y = few @ np.array([1.0, -2.0, 0.0, 0.5, 1.0]) + 0.3 * g.normal(size=60)
    both = [
        LinearProblem(HalfSquared(), penalty, ArrayBlocks(Design(X), y, np.ones(60)), intercept=intercept)
        for X in (few, wide)
    ]
    return both[0], both[1]


@pytest.mark.parametrize("solver", [SGD(n_epochs=5), SGD(n_epochs=5, output="best"), SVRG()], ids=str)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_empty_columns_change_nothing(solver: Any, intercept: bool, l1_ratio: float) -> None:
    few, wide = problems(intercept, ElasticNetPenalty(0.01, l1_ratio))
    a, b = (solve(p, solver, tol=1e-12, max_steps=5).w for p in (few, wide))
    coef, at = wide.split(b)
    np.testing.assert_array_equal(coef[PLACES], few.split(a)[0])
    np.testing.assert_array_equal(at, few.split(a)[1])
    assert np.count_nonzero(coef) == np.count_nonzero(coef[PLACES])


def test_the_steps_see_the_stored_columns_alone() -> None:
    _, wide = problems(True, ElasticNetPenalty(0.01, 0.5))
    rows = stochastic_rows(wide, stored_only=True)
    assert rows.X.shape == (60, 5)
    w = np.zeros(1001)
    w[PLACES], w[-1] = np.arange(1.0, 6.0), 7.0
    np.testing.assert_allclose(rows.outside(rows.inside(w)), w)
    np.testing.assert_allclose(rows.scores(w, np.arange(60)), wide.design.X @ w[:-1] + 7.0)
