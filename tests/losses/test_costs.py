"""Costs of the two kinds of error, by class and by row."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import (
    CostSensitive,
    Exponential,
    HalfSquared,
    Hinge,
    Logistic,
    SquaredHinge,
    cost_weights,
)
from empirisk.penalties import L2
from empirisk.problems import LinearProblem
from empirisk.solvers import solve


def rows(rng, n=200):
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0.5, 1.0, -1.0)


@pytest.mark.parametrize("base", [Logistic(), SquaredHinge(), Exponential()], ids=lambda base: base.name)
def test_costs_are_weights_with_the_strength_kept(base, rng):
    X, y = rows(rng)
    c = cost_weights(y, false_reject=5.0, false_accept=0.5)
    by_loss = LinearProblem(
        CostSensitive(base, 5.0, 0.5), L2(0.1), ArrayBlocks(Design(X), y, np.ones(len(y)))
    )
    by_weight = LinearProblem(base, L2(0.1 / c.mean()), ArrayBlocks(Design(X), y, c))
    one, other = solve(by_loss, tol=1e-13), solve(by_weight, tol=1e-13)
    np.testing.assert_allclose(one.w, other.w, rtol=1e-6, atol=1e-8)
    assert by_loss.value(one.w) == pytest.approx(c.mean() * by_weight.value(other.w), rel=1e-12)


def test_threshold_at_zero_is_bayes_for_these_costs():
    """Accept where P(+1) exceeds a/(r + a): Elkan's threshold, at the best constant score for that share."""
    loss = CostSensitive(Logistic(), false_reject=9.0, false_accept=1.0)
    for share, accept in ((0.09, False), (0.11, True)):
        best = loss.best_constant(np.array([1.0, -1.0]), np.array([share, 1.0 - share]))
        assert (float(best) > 0.0) == accept


def test_costs_by_row():
    y, reject, accept = np.array([1, -1, 1, -1]), [1.0, 2.0, 3.0, 4.0], np.array([5.0, 6.0, 7.0, 0.0])
    np.testing.assert_array_equal(cost_weights(y, reject, accept), [1.0, 6.0, 3.0, 0.0])


BAD = {
    "false_reject must be a finite number > 0, got 0.0": lambda: CostSensitive(Hinge(), 0.0),
    "false_accept must be a finite number > 0, got nan": lambda: CostSensitive(Hinge(), 1.0, float("nan")),
    "base must be a loss of the labels -1 and": lambda: CostSensitive(HalfSquared()),
    "y holds 0 in row 1; costs need the labels": lambda: cost_weights([1, 0]),
    "false_reject must be a number or have one entry per row, 2": lambda: cost_weights(
        [1, -1], [1.0, 2.0, 3.0]
    ),
    "false_accept holds -2 in row 1": lambda: cost_weights([1, -1], 1.0, [0.0, -2.0]),
    "false_accept holds inf; a cost is": lambda: cost_weights([1, -1], 1.0, np.inf),
}


@pytest.mark.parametrize("sentence", BAD)
def test_bad_costs_are_refused(sentence):
    with pytest.raises(ValueError, match=sentence):
        BAD[sentence]()
