"""Sums that are carried along while one class after the other moves equal those of the whole scores."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.losses.softmax import Softmax
from empirisk.penalties import L1
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.scored_rows import ScoredRows, SoftmaxRows, scored_rows


def problem(n: int = 40, k: int = 5) -> LinearProblem:
    g = np.random.default_rng(0)
    data = ArrayBlocks(Design(g.normal(size=(n, 2))), np.arange(n) % k * 1.0, g.uniform(0.5, 2.0, n))
    return LinearProblem(Softmax(), L1(0.1), data)


@pytest.mark.parametrize("size", [0.1, 3.0, 60.0])
def test_carried_sums_are_those_of_the_definition(size: float) -> None:
    given, g = problem(), np.random.default_rng(1)
    rows = SoftmaxRows(given, g.normal(size=(40, 5)))
    path = np.zeros(40)
    for turn in range(60):
        pick = (slice(None), turn % 5)
        change = size * g.normal(size=40) / (1 + turn % 7)
        z = rows.z.copy()
        z[:, turn % 5] += change
        loss, take = rows.trial(pick, change)
        take()
        anew = ScoredRows(given, z)
        np.testing.assert_array_equal(rows.z, z)
        assert loss == rows.loss == pytest.approx(anew.loss, rel=1e-12)
        # exp(change) has the relative error eps |change|, and what is carried takes all of them in.
        path += np.abs(change)
        rounding = 2 * np.finfo(float).eps * (turn + path.max())
        for c in range(5):
            at = (slice(None), c)
            np.testing.assert_allclose(rows.slope(at), anew.slope(at), rtol=1e-9, atol=rounding)
            np.testing.assert_allclose(rows.curvature(at), anew.curvature(at), rtol=1e-9, atol=rounding)
            assert (rows.curvature(at) >= 0.0).all()


def test_losses_near_zero_keep_their_digits() -> None:
    given = problem()
    z = np.zeros((40, 5))
    z[np.arange(40), np.arange(40) % 5] = 40.0
    rows = SoftmaxRows(given, z)
    assert rows.loss == pytest.approx(4.0 * np.exp(-40.0), rel=1e-12)
    loss, _ = rows.trial((slice(None), 0), np.where(np.arange(40) % 5 == 0, 1.0, 0.0))
    assert loss < rows.loss


def test_a_refused_trial_leaves_everything_as_it_was() -> None:
    rows = SoftmaxRows(problem(), np.zeros((40, 5)))
    before = rows.loss
    rows.trial((slice(None), 1), np.full(40, 5.0))
    assert rows.loss == before
    assert not rows.z.any()


def test_sums_beyond_the_range_of_numbers_take_the_plain_way() -> None:
    z = np.zeros((40, 5))
    z[:, 0] = 1e4
    assert type(scored_rows(problem(), z)) is ScoredRows
    assert type(scored_rows(problem(), z / 1e4)) is SoftmaxRows
