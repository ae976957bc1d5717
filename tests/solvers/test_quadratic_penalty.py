"""The squares of the penalty method: derivatives, distances, and bounds from below that tighten."""

from __future__ import annotations

from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

import empirisk as er
from empirisk.penalties import AffineSet, Box, HalfSpace, Intersection, L1Ball, L2Ball, NonNegative, Simplex
from empirisk.solvers.newton_sum import newton_sum
from empirisk.solvers.quadratic_penalty import QuadraticPenalty, missed

SINGLE = [
    L2Ball(1.2),
    HalfSpace([1.0, -2.0, 0.5], 0.3),
    NonNegative(),
    Box([-1.0, 0.5, -np.inf], [2.0, 0.5, 0.3]),
    AffineSet([[1.0, 1.0, 0.0]], [0.5]),
]
BOTH = Intersection([L2Ball(1.5), HalfSpace([1.0, 1.0, 1.0], -0.5), Box(-1.0, 1.0)])


@pytest.mark.parametrize("penalty", SINGLE, ids=lambda s: s.name)
def test_squares_are_those_of_the_distance(penalty, rng):
    # One inequality, or inequalities about different coefficients: their squares add up to the distance's.
    s = penalty.inequalities(3)
    for _ in range(50):
        w = rng.normal(size=3) * 3.0
        value, grad, _ = missed(s, w)
        away = w - penalty.project(w)
        assert value == pytest.approx(0.5 * away @ away, abs=1e-12)
        np.testing.assert_allclose(grad, away, atol=1e-12)


@pytest.mark.parametrize("penalty", [*SINGLE, Simplex(2.0), BOTH], ids=lambda s: s.name)
def test_second_derivatives_away_from_the_borders(penalty, rng):
    s, h = penalty.inequalities(3), 1e-6
    for _ in range(20):
        w = rng.normal(size=3) * 3.0
        H = missed(s, w)[2]
        for j, e in enumerate(np.eye(3) * h):
            up, down = missed(s, w + e), missed(s, w - e)
            np.testing.assert_allclose(H[j], (up[1] - down[1]) / (2 * h), atol=1e-6)


@pytest.mark.parametrize("penalty", [Simplex(), BOTH, L2Ball(0.5)], ids=lambda s: s.name)
def test_bounds_from_below_tighten_and_the_distance_falls_as_one_over_the_weight(penalty, rng):
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    problem = replace(er.Ridge(alpha=1.0).problem(X, y + X @ [2.0, -1.0, 2.0]), penalty=penalty)
    s, w = penalty.inequalities(3), problem.null
    best = problem.value(er.solve(problem, "projected_gradient", tol=1e-12).w)
    bounds, away = [], []
    for weight in (1e1, 1e2, 1e3, 1e4, 1e5):
        w, _ = newton_sum(problem, lambda v: missed(s, v), np.zeros((0, 3)), np.zeros(0), w, 1.0 / weight)
        squares = missed(s, w[:3])[0]
        bounds.append(problem.smooth(w)[0] + weight * squares)
        away.append(np.sqrt(2.0 * squares))
    assert np.all(np.diff(bounds) > 0.0)
    assert bounds[-1] <= best + 1e-12
    # With a multiplier lam the bound misses the minimum by lam^2 / (2 weight), the set by lam / weight.
    assert best - bounds[-1] <= 1.5e-1 * (best - bounds[-2])
    assert away[-1] == pytest.approx(0.1 * away[-2], rel=0.05)


@pytest.mark.parametrize("name", ["quadratic_penalty", "barrier"])
def test_an_intersection_against_cvxpy(name, rng):
    X = rng.normal(size=(60, 3))
    y = np.where(X @ [2.0, -1.0, 1.0] + rng.logistic(size=60) > 0.0, 1, 0)
    problem = replace(er.LogisticRegression().problem(X, y), penalty=BOTH)
    found = er.solve(problem, name, tol=1e-9)
    w, b = cp.Variable(3), cp.Variable()
    z = cp.multiply(2.0 * y - 1.0, X @ w + b)
    constraints = [cp.norm(w) <= 1.5, cp.sum(w) <= -0.5, w >= -1.0, w <= 1.0]
    peer = cp.Problem(cp.Minimize(cp.sum(cp.logistic(-z)) / 60.0), constraints)
    peer.solve(solver=cp.CLARABEL)
    assert found.status.ok, found.sentence
    assert BOTH.contains(found.w[:3])
    assert problem.value(found.w) == pytest.approx(peer.value, abs=1e-7)


def test_no_interior_is_needed_and_the_note_tells_the_distance():
    ridge = er.Ridge(alpha=1.0, fit_intercept=False).problem(np.eye(3), [1.0, 2.0, 3.0])
    thin = Intersection([HalfSpace([1.0, 0.0, 0.0], 0.0), HalfSpace([-1.0, 0.0, 0.0], 0.0)])
    found = er.solve(replace(ridge, penalty=thin), "quadratic_penalty", tol=1e-9)
    np.testing.assert_allclose(found.w, [0.0, 2.0, 3.0], atol=1e-8)
    early = er.solve(replace(ridge, penalty=Simplex()), QuadraticPenalty(), max_steps=4, tol=0.0)
    outside = early.state.outside
    away = np.linalg.norm(outside - Simplex().project(outside))
    assert f"the penalised point lies {away:.2g} outside the set" in early.note
    assert early.note in early.sentence


def test_refusals_are_sentences():
    problem = er.Ridge(alpha=1.0).problem(np.eye(3), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="'quadratic_penalty' needs a constraint set without kinks"):
        er.solve(replace(problem, penalty=L1Ball(1.0)), "quadratic_penalty")
    with pytest.raises(ValueError, match="'quadratic_penalty' needs a constraint set"):
        er.solve(problem, "quadratic_penalty")
    with pytest.raises(TypeError, match="the set 'l1_ball' has no description"):
        L1Ball(1.0).inequalities(3)
    apart = Intersection([L2Ball(1.0), HalfSpace([-1.0, 0.0, 0.0], -3.0)])
    with pytest.raises(ValueError, match=r"sets 0 \(l2_ball\) and 1 \(half_space\) are 2 apart"):
        er.solve(replace(problem, penalty=apart), "quadratic_penalty")
    with pytest.raises(ValueError, match="normal has 2 entries but there are 3 coefficients"):
        er.solve(replace(problem, penalty=HalfSpace([1.0, 1.0], 1.0)), "quadratic_penalty")
