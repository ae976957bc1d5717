"""The gap from one pass's sums: never below the distance to the optimum, and what its argument says it is."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import (
    Bernoulli,
    CLogLog,
    Gamma,
    HalfSquared,
    Huber,
    Logistic,
    ModifiedHuber,
    NegativeBinomial,
    Poisson,
    Probit,
    SquaredHinge,
    Tweedie,
    with_offset,
)
from empirisk.penalties import L2
from empirisk.problems import LinearProblem
from empirisk.problems.intercept import best_intercept
from empirisk.problems.quick_gap import quick_gap
from empirisk.solvers import solve

LOSSES = [
    Bernoulli(), CLogLog(), Gamma(), Huber(0.5), Logistic(), ModifiedHuber(), NegativeBinomial(0.5),
    Poisson(), Probit(), SquaredHinge(), Tweedie(1.6),
]  # fmt: skip
each = pytest.mark.parametrize("base", LOSSES, ids=repr)


def problem_of(base, rng, offsets, n=120, p=4):
    X = rng.normal(size=(n, p)) * [1.0, 3.0, 0.2, 1.0] + [0.0, 2.0, -1.0, 0.5]
    z = X @ [0.3, -0.1, 0.5, 0.0]
    if base.labels:
        y = np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-z)), 1.0, -1.0)
    elif np.isfinite(base.y_domain.high):
        y = rng.random(n).round(1)
    elif np.isneginf(base.y_domain.low):
        y = z + rng.standard_t(2, size=n)
    else:
        y = rng.poisson(2.0 * np.exp(z)) + (0.0 if base.y_domain.low_closed else 0.3)
    loss, y = with_offset(base, y, 0.4 * rng.normal(size=n) if offsets else None)
    return LinearProblem(loss, L2(0.05), ArrayBlocks(Design(X), y, rng.integers(1, 4, size=n).astype(float)))


@each
@pytest.mark.parametrize("offsets", [False, True])
def test_never_less_than_the_distance_to_the_optimum(base, offsets, rng):
    problem = problem_of(base, rng, offsets)
    best = solve(problem, tol=1e-13)
    value = problem.value(best.w)
    for size in (1e-1, 1e-2, 1e-4):
        for _ in range(20):
            w = best.w + size * rng.normal(size=5) * [1.0, 0.3, 3.0, 1.0, 1.0]
            found = quick_gap(problem, w, problem.evaluate(w))
            assert found is not None
            assert problem.value(w) - value <= found[0] + 1e-13
    # Towards the optimum it falls at least in proportion (where v is exact, with the square).
    direction = rng.normal(size=5)
    far, near = (
        quick_gap(problem, w, problem.evaluate(w))[0] for w in (best.w + t * direction for t in (1e-2, 1e-4))
    )
    assert near <= 0.02 * far


@pytest.mark.parametrize("base", [Poisson(), Gamma()], ids=repr)
@pytest.mark.parametrize("offsets", [False, True])
def test_closed_shifts_are_the_gap_at_the_shifted_slopes(base, offsets, rng):
    problem = problem_of(base, rng, offsets)
    data = problem.data
    for _ in range(20):
        w = 0.3 * rng.normal(size=5)
        z = problem.scores(w)
        slope = problem.loss.grad(data.y, z + best_intercept(problem.loss, data.y, data.weight, z))
        share = data.weight / data.total_weight
        v = problem.design.X.T @ (share * slope)
        dual = -share @ problem.loss.conjugate(data.y, slope) - v @ v / (2.0 * 0.05)
        found = quick_gap(problem, w, problem.evaluate(w))
        assert found[0] == pytest.approx(problem.value(w) - dual, rel=1e-9)


@pytest.mark.parametrize("offsets", [False, True])
def test_the_squared_loss_has_the_gap_of_its_balanced_residuals(offsets, rng):
    problem = problem_of(HalfSquared(), rng, offsets)
    data, share = problem.data, problem.data.weight / problem.data.total_weight
    best = problem.value(solve(problem, tol=1e-13).w)
    for _ in range(20):
        w = 0.3 * rng.normal(size=5)
        slope = problem.loss.grad(data.y, problem.scores(w))
        slope = slope - share @ slope  # a free intercept wants slopes of mean 0
        v = problem.design.X.T @ (share * slope)
        dual = -share @ problem.loss.conjugate(data.y, slope) - v @ v / (2.0 * 0.05)
        found = quick_gap(problem, w, problem.evaluate(w))
        assert found[0] == pytest.approx(problem.value(w) - dual, rel=1e-9)
        assert problem.certify(w).value == pytest.approx(problem.value(w) - dual, rel=1e-9)
        assert found[0] >= problem.value(w) - best - 1e-13
