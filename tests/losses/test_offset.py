"""Offsets: the wrapper is the base at a moved score, in values, conjugates and best constants."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import (
    Bernoulli,
    CLogLog,
    Gamma,
    HalfSquared,
    Huber,
    InverseGaussian,
    Logistic,
    NegativeBinomial,
    Offset,
    Poisson,
    Probit,
    Tweedie,
    check_targets,
    with_offset,
)
from empirisk.penalties import L1, L2, Zero
from empirisk.problems import LinearProblem
from empirisk.problems.linear_pass import evaluate, two_reads
from empirisk.results import Kind, Status
from empirisk.solvers import solve

BASES = [
    Bernoulli(), Bernoulli(Probit()), CLogLog(), Gamma(), InverseGaussian(), Logistic(),
    NegativeBinomial(0.5), Poisson(), Probit(), Tweedie(1.6),
]  # fmt: skip
each = pytest.mark.parametrize("base", BASES, ids=repr)


def drawn(base, rng, n=200):
    """Return random targets, offsets and scores for the loss."""
    if base.labels:
        y = np.sign(rng.standard_normal(n))
    elif np.isfinite(base.y_domain.high):
        y = rng.random(n).round(1)
    else:
        y = rng.poisson(2.0, n) + (0.0 if base.y_domain.low_closed else 0.3)
    return y, rng.standard_normal(n), 0.5 * rng.standard_normal(n)


@each
def test_the_wrapper_is_the_base_at_a_moved_score(base, rng):
    y, o, z = drawn(base, rng)
    loss, both = with_offset(base, y, o)
    assert loss == Offset(base)
    for name in ("value", "grad", "hess"):
        np.testing.assert_array_equal(getattr(loss, name)(both, z), getattr(base, name)(y, z + o))
    u = loss.grad(both, z)
    if base.convex:  # Fenchel and Young with equality at the slope
        np.testing.assert_allclose(loss.value(both, z) + loss.conjugate(both, u), u * z, rtol=1e-9, atol=1e-9)


@each
def test_best_constant_by_brute_force(base, rng):
    y, o, _ = drawn(base, rng)
    s = rng.random(len(y))
    loss, both = with_offset(base, y, o)
    found = float(loss.best_constant(both, s))
    at = lambda b: float(s @ loss.value(both, np.full(len(y), b)))  # noqa: E731
    right = minimize_scalar(at, bracket=(found - 0.1, found + 0.1), tol=1e-12).x
    assert found == pytest.approx(right, abs=1e-6)
    # Far more exact by the slope, whose sign changes there.
    slope = float(s @ loss.grad(both, np.full(len(y), found)))
    assert abs(slope) <= 1e-12 * float(s @ np.abs(loss.grad(both, np.full(len(y), found))))


@pytest.mark.parametrize("base", [HalfSquared(), Huber(0.8)], ids=repr)
def test_losses_of_a_difference_move_the_target(base, rng):
    y, o, z = rng.standard_normal((3, 50))
    loss, moved = with_offset(base, y, o)
    assert loss is base
    np.testing.assert_allclose(loss.value(moved, z), base.value(y, z + o), rtol=1e-12)
    assert with_offset(base, y, None)[1] is y


@each
@pytest.mark.parametrize("storage", [np.asfortranarray, np.ascontiguousarray])
def test_fused_evaluation_is_the_plain_one(base, storage, rng):
    y, o, _ = drawn(base, rng)
    loss, both = with_offset(base, y, o)
    X, w = storage(rng.standard_normal((len(y), 3))), np.array([0.3, -0.2, 0.1, 0.4])
    problem = LinearProblem(loss, L2(0.1), ArrayBlocks(Design(X), both, rng.random(len(y))))
    fused, plain = evaluate(problem, w), two_reads(problem, problem.scores(w))
    np.testing.assert_allclose(fused.scores, X @ w[:3] + w[3], rtol=1e-13, atol=1e-13)
    assert fused.loss == pytest.approx(plain.loss, rel=1e-13, abs=1e-13)
    np.testing.assert_allclose(fused.grad, plain.grad, rtol=1e-11, atol=1e-13)


@each
@pytest.mark.parametrize("penalty", [L2(0.05), L1(0.02), Zero()], ids=repr)
def test_solved_and_certified(base, penalty, rng):
    if not base.convex and isinstance(penalty, L1):
        pytest.skip("no solver takes this pair")
    y, o, _ = drawn(base, rng)
    loss, both = with_offset(base, y, o)
    X = rng.standard_normal((len(y), 3))
    problem = LinearProblem(loss, penalty, ArrayBlocks(Design(X), both, np.ones(len(y))))
    solution = solve(problem, tol=1e-10)
    assert solution.status is Status.CERTIFIED, solution.sentence
    gap = base.convex and not isinstance(penalty, Zero)
    assert solution.certificate.kind is (Kind.DUALITY_GAP if gap else Kind.KKT_RESIDUAL)


@pytest.mark.parametrize(("base", "power"), [(Poisson(), 1.0), (Tweedie(1.3), 1.3), (Gamma(), 2.0)])
def test_offsets_of_a_power_family_are_weights(base, power, rng):
    # l(y, z + o) = e^((2-p) o) l(y e^-o, z) + a term without z: the same minimiser from plain rows.
    y, o, _ = drawn(base, rng)
    X = rng.standard_normal((len(y), 2))
    loss, both = with_offset(base, y, o)
    one = solve(LinearProblem(loss, L2(0.1), ArrayBlocks(Design(X), both, np.ones(len(y)))), tol=1e-13)
    weight = np.exp((2.0 - power) * o)
    strength = 0.1 * len(y) / weight.sum()
    two = solve(LinearProblem(base, L2(strength), ArrayBlocks(Design(X), y * np.exp(-o), weight)), tol=1e-13)
    np.testing.assert_allclose(one.w, two.w, rtol=1e-6, atol=1e-7)


def test_targets_are_checked_in_the_first_column():
    loss, both = with_offset(Poisson(), np.array([1.0, -2.0]), np.array([-5.0, 0.0]))
    with pytest.raises(ValueError, match="y holds -2 in row 1; the loss 'poisson' needs targets in"):
        check_targets(loss, both)


def test_separation_and_zeros_do_not_see_offsets(rng):
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    o = rng.standard_normal(4)
    for base, y in (
        (Logistic(), np.array([-1.0, -1.0, 1.0, 1.0])),
        (Bernoulli(), np.array([0.0, 0.0, 1.0, 1.0])),
        (Poisson(), np.array([0.0, 0.0, 2.0, 0.0])),
    ):
        indicator = X if base.labels or base.name == "bernoulli" else (X == 2.0).astype(float)
        loss, both = with_offset(base, y, o)
        problem = LinearProblem(loss, Zero(), ArrayBlocks(Design(indicator), both, np.ones(4)))
        assert solve(problem).status is Status.UNBOUNDED
    # One share inside (0, 1) on the far side of the rule holds the score.
    y = np.array([0.5, 0.0, 1.0, 0.5])
    problem = LinearProblem(Bernoulli(), Zero(), ArrayBlocks(Design(X), y, np.ones(4)))
    assert solve(problem).status is Status.CERTIFIED
