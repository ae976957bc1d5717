"""The barrier's description of sets, its derivatives, and the gap m/t that it promises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import empirisk as er
from empirisk.penalties import AffineSet, Box, HalfSpace, Intersection, L1Ball, L2Ball, NonNegative, Simplex
from empirisk.solvers.barrier import Barrier
from empirisk.solvers.log_barrier import interior, log_barrier
from empirisk.solvers.newton_sum import newton_sum

SETS = [
    L2Ball(1.2),
    HalfSpace([1.0, -2.0, 0.5], 0.3),
    NonNegative(),
    Simplex(2.0),
    Box([-1.0, 0.5, -np.inf], [2.0, 0.5, 0.3]),
    AffineSet([[1.0, 1.0, 0.0]], [0.5]),
    Intersection([L2Ball(2.0), HalfSpace([1.0, 1.0, 1.0], -0.5), Box(-1.0, 1.0)]),
]
each = pytest.mark.parametrize("penalty", SETS, ids=lambda s: s.name)


@each
def test_describes_the_set(penalty, rng):
    s = penalty.inequalities(3)
    start = interior(s)
    assert np.all(s.slacks(start) > 0.0)
    assert np.allclose(s.E @ start, s.f)
    assert penalty.contains(penalty.project(start))
    for _ in range(200):
        w = penalty.project(rng.normal(size=3) * 2.0)
        assert np.min(s.slacks(w), initial=0.0) >= -1e-12
        out = w + rng.normal(size=3) * 0.5
        inside = np.min(s.slacks(out), initial=1.0) >= 0.0 and np.allclose(s.E @ out, s.f, atol=1e-15)
        assert inside == (penalty.gap(out) <= 1e-15)


@each
def test_barrier_derivatives(penalty):
    s = penalty.inequalities(3)
    w = interior(s)
    _, grad, hess = log_barrier(s, w)
    h = 1e-5
    for j in range(3):
        e = np.eye(3)[j] * h
        up, down = log_barrier(s, w + e), log_barrier(s, w - e)
        assert grad[j] == pytest.approx((up[0] - down[0]) / (2 * h), rel=1e-5, abs=1e-7)
        np.testing.assert_allclose(hess[j], (up[1] - down[1]) / (2 * h), rtol=1e-4, atol=1e-6)
    # Far away on one side or the other every barrier is infinite.
    assert s.count == 0 or np.inf in (log_barrier(s, w + 1e6)[0], log_barrier(s, w - 1e6)[0])


@pytest.mark.parametrize("penalty", [s for s in SETS if s.name not in ("affine_set",)], ids=lambda s: s.name)
@pytest.mark.parametrize("t", [10.0, 1e4])
def test_the_gap_is_at_most_m_over_t(penalty, t, rng):
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    problem = replace(er.Ridge(alpha=1.0).problem(X, y + X @ [1.0, -1.0, 2.0]), penalty=penalty)
    best = problem.value(er.solve(problem, "projected_gradient", tol=1e-12).w)
    s = penalty.inequalities(3)
    start = problem.join(interior(s), 0.0)
    w, _ = newton_sum(problem, lambda w: log_barrier(s, w), s.E, s.f, start, t)
    excess = problem.smooth(w)[0] - best
    assert -1e-10 <= excess <= s.count / t * (1.0 + 1e-6)


@pytest.mark.parametrize("t", [1e2, 1e5])
def test_a_centre_is_a_kkt_point_but_for_one_over_t_of_slackness(t, rng):
    both = Intersection([L2Ball(0.6), HalfSpace([1.0, 1.0, 1.0], 0.2)])
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    problem = replace(er.Ridge(alpha=1.0).problem(X, y + X @ [1.0, 1.0, 1.0]), penalty=both)
    s = both.inequalities(3)
    w, _ = newton_sum(problem, lambda w: log_barrier(s, w), s.E, s.f, problem.join(interior(s), 0.0), t)
    written = er.convex.as_convex_problem(problem)
    lam = -1.0 / (t * written.slacks(w))
    four = er.convex.kkt_residual(written, w, lam)
    assert four.stationarity <= 1e-8
    assert four.primal == four.dual == 0.0
    assert four.complementarity == pytest.approx(1.0 / t)
    # Its dual value misses the objective by m/t, exactly.
    seen = er.convex.weak_duality(written, w, lam)
    assert seen.gap == pytest.approx(2.0 / t, rel=1e-4)


@pytest.mark.parametrize("name", ["barrier", "quadratic_penalty"])
@pytest.mark.parametrize(
    "penalty",
    [NonNegative(), Intersection([L2Ball(1.0), HalfSpace([1.0] * 8, 0.3)])],
    ids=lambda s: s.name,
)
def test_columns_of_unlike_scales_do_not_start_far_out(name, penalty, rng):
    X = rng.normal(size=(300, 8)) * np.logspace(-2, 2, 8)
    y = rng.poisson(np.exp(0.3 * (X / np.logspace(-2, 2, 8)).sum(axis=1) / np.sqrt(8.0)))
    problem = replace(er.PoissonRegressor(alpha=1.0).problem(X, y), penalty=penalty)
    found = er.solve(problem, name, tol=1e-8)
    assert found.status.ok, found.sentence
    assert found.n_steps <= 15
    four = er.convex.kkt_residual(problem, found.w)
    assert four.stationarity <= 1e-5
    assert four.primal <= 1e-12


def test_refusals_are_sentences():
    problem = er.Ridge(alpha=1.0).problem(np.eye(3), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="a constraint set without kinks"):
        er.solve(replace(problem, penalty=L1Ball(1.0)), "barrier")
    thin = Intersection([HalfSpace([1.0, 0.0, 0.0], 0.0), HalfSpace([-1.0, 0.0, 0.0], 0.0)])
    with pytest.raises(ValueError, match="no interior point"):
        er.solve(replace(problem, penalty=thin), "barrier")
    apart = Intersection([HalfSpace([1.0, 0.0, 0.0], 0.0), HalfSpace([-1.0, 0.0, 0.0], -1.0)])
    with pytest.raises(ValueError, match=r"sets 0 \(half_space\) and 1 \(half_space\)"):
        er.solve(replace(problem, penalty=apart), Barrier())
