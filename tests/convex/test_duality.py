"""Lagrangians, duals, Slater points and KKT conditions against algebra, vertices and another solver."""

from __future__ import annotations

import itertools
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

import empirisk as er
from empirisk.convex import (
    ConvexProblem,
    LinearProgram,
    as_convex_problem,
    dual_function,
    kkt_residual,
    lagrangian,
    slater_point,
    weak_duality,
)
from empirisk.penalties import Box, HalfSpace, Intersection, L1Ball, L2Ball, NonNegative, Simplex


def parabola():
    """``min x^2`` such that ``x >= 1``: the dual is ``lam - lam^2 / 4``, best at 2."""
    return ConvexProblem(lambda x: float(x @ x), 1, [lambda x: 1.0 - x[0]])


@pytest.mark.parametrize("lam", [0.0, 0.5, 2.0, 7.0])
def test_the_dual_of_a_parabola(lam):
    found = dual_function(parabola(), [lam])
    assert found.value == pytest.approx(lam - lam**2 / 4.0, abs=1e-9)
    assert lagrangian(parabola())(np.array([3.0]), [lam]) == pytest.approx(9.0 - 2.0 * lam)
    assert weak_duality(parabola(), [1.5], [lam]).gap == pytest.approx(2.25 - lam + lam**2 / 4.0, abs=1e-8)


def test_kkt_in_four_parts():
    p = parabola()
    assert kkt_residual(p, [1.0], [2.0]).largest < 1e-8
    assert kkt_residual(p, [1.0], [1.0]).stationarity == pytest.approx(1.0, abs=1e-6)
    assert kkt_residual(p, [0.25], [0.5]).primal == pytest.approx(0.75)
    assert kkt_residual(p, [2.0], [4.0]).complementarity == pytest.approx(4.0)
    assert kkt_residual(p, [-0.5], [-1.0]).dual == pytest.approx(1.0)
    assert "complementary slackness" in str(kkt_residual(p, [1.0], [2.0]))


@pytest.mark.parametrize("seed", range(5))
def test_linear_programme_and_its_dual_by_vertices(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(2, 5))
    b = A @ rng.uniform(0.5, 2.0, size=5)
    lam0 = rng.normal(size=2)
    c = A.T @ lam0 + rng.uniform(0.1, 1.0, size=5)  # dual feasible, so that the minimum is finite
    lp = LinearProgram(c, A, b)
    best, best_dual = np.inf, -np.inf
    for basis in itertools.combinations(range(5), 2):
        B = A[:, basis]
        v = np.linalg.solve(B, b)
        if np.all(v >= -1e-12):
            best = min(best, float(c[list(basis)] @ v))
        lam = np.linalg.solve(B.T, c[list(basis)])
        if np.all(A.T @ lam <= c + 1e-12):
            best_dual = max(best_dual, float(b @ lam))
    assert best == pytest.approx(best_dual, rel=1e-10)
    x, lam = lp.solve()
    assert float(c @ x) == pytest.approx(best, rel=1e-9)
    assert lp.dual_function(lam) == pytest.approx(best, rel=1e-9)
    assert lp.dual_function(lam0) <= best + 1e-12
    assert lp.dual_function(lam + 10.0 * np.sign(A.sum(axis=1))) == -np.inf
    assert kkt_residual(lp.primal, x, nu=-lam).largest < 1e-7
    assert slater_point(lp.dual).found
    # The dual function of the general machinery agrees with the formula.
    inside = lam0
    assert dual_function(lp.primal, nu=-inside).value == pytest.approx(float(b @ inside), rel=1e-9)


def test_programmes_without_solution():
    with pytest.raises(ValueError, match="no feasible point"):
        LinearProgram([1.0], [[1.0]], [-1.0]).solve()
    with pytest.raises(ValueError, match="no minimum"):
        LinearProgram([-1.0, 0.0], [[0.0, 1.0]], [1.0]).solve()
    with pytest.raises(ValueError, match="b holds a number of 1e20 or more"):
        LinearProgram([1.0], [[1.0]], [1e20])
    with pytest.raises(ValueError, match="must have shape"):
        LinearProgram([1.0], [[1.0, 2.0]], [1.0])


def quadratic(rng):
    """A projection problem with an inequality and an equality, and the same for cvxpy."""
    Q = rng.normal(size=(4, 4))
    Q = Q @ Q.T + np.eye(4)
    q, a = rng.normal(size=4), rng.normal(size=4)
    ours = ConvexProblem(
        lambda x: float(0.5 * x @ Q @ x + q @ x),
        4,
        [lambda x: float(x @ x) - 1.0, lambda x: float(a @ x) - 0.2],
        (np.ones((1, 4)), [0.5]),
        gradient=lambda x: Q @ x + q,
        inequality_gradients=[lambda x: 2.0 * x, None],
    )
    x = cp.Variable(4)
    constraints = [cp.sum_squares(x) - 1.0 <= 0, a @ x - 0.2 <= 0, cp.sum(x) - 0.5 == 0]
    theirs = cp.Problem(cp.Minimize(0.5 * cp.quad_form(x, Q) + q @ x), constraints)
    return ours, theirs, x, constraints


@pytest.mark.parametrize("seed", range(6))
def test_quadratic_programmes_against_cvxpy(seed):
    ours, theirs, x, constraints = quadratic(np.random.default_rng(seed))
    assert slater_point(ours).found
    theirs.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    lam = np.maximum([float(np.ravel(c.dual_value)[0]) for c in constraints[:2]], 0.0)
    nu = np.atleast_1d(constraints[2].dual_value)
    assert kkt_residual(ours, x.value, lam, nu).largest < 1e-5
    assert dual_function(ours, lam, nu).value == pytest.approx(theirs.value, abs=1e-7)
    feasible = slater_point(ours).x
    seen = weak_duality(ours, feasible, lam, nu, tol=1e-6)
    assert seen.gap >= -1e-8
    assert seen.primal - theirs.value <= seen.gap + 1e-7


@pytest.mark.parametrize("seed", range(4))
def test_weak_duality_holds_for_any_multipliers(seed):
    rng = np.random.default_rng(seed)
    ours, theirs, *_ = quadratic(rng)
    theirs.solve(solver=cp.CLARABEL)
    for _ in range(10):
        lam, nu = rng.exponential(size=2), rng.normal(size=1)
        d = dual_function(ours, lam, nu)
        assert d.lower <= d.value + 1e-12
        assert d.value <= theirs.value + 1e-7


SETS = [
    L2Ball(0.5),
    L1Ball(0.7),
    Box(-0.2, [0.1, 0.3, 1.0]),
    Simplex(),
    NonNegative(),
    Intersection([Box(-0.5, 0.5), HalfSpace([1.0, 1.0, 1.0], 0.2)]),
]


@pytest.mark.parametrize("penalty", SETS, ids=lambda s: s.name)
def test_our_problems_written_out(penalty, rng):
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    problem = replace(er.Ridge(alpha=1.0).problem(X, y + X @ [1.0, 0.5, -0.5]), penalty=penalty)
    solution = er.solve(problem, "projected_gradient", tol=1e-10)
    p = as_convex_problem(problem)
    w, b = cp.Variable(3), cp.Variable()
    allowed = {
        "l2_ball": lambda: [cp.norm(w) <= 0.5],
        "l1_ball": lambda: [cp.norm1(w) <= 0.7],
        "box": lambda: [w >= -0.2, w <= np.array([0.1, 0.3, 1.0])],
        "simplex": lambda: [w >= 0, cp.sum(w) == 1],
        "non_negative": lambda: [w >= 0],
        "intersection": lambda: [w >= -0.5, w <= 0.5, cp.sum(w) <= 0.2],
    }[penalty.name]()
    peer = cp.Problem(cp.Minimize(cp.sum_squares(X @ w + b - problem.data.y) / 80.0), allowed)
    peer.solve(solver=cp.CLARABEL)
    assert p.objective(solution.w) == pytest.approx(peer.value, abs=1e-7)
    assert np.max(p.slacks(solution.w), initial=-1.0) <= 1e-9
    assert np.max(np.abs(p.residual(solution.w)), initial=0.0) <= 1e-9
    assert kkt_residual(problem, solution.w).largest <= 1e-5
    assert kkt_residual(problem, solution.w + 0.05).largest >= 1e-3


def test_multipliers_of_rows_enter_the_four_parts():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    y = np.array([0.0, 1.1, 1.9, 3.2, 9.0])
    from empirisk.losses import Absolute
    from empirisk.penalties import Zero

    problem = replace(er.Ridge(alpha=1.0).problem(X, y), loss=Absolute(), penalty=Zero())
    solution = er.solve(problem, "linear_program")
    with_dual = kkt_residual(problem, solution.w, solution.dual)
    assert with_dual.largest < 1e-8
    assert kkt_residual(problem, solution.w).largest > 1e-3


def test_slater_points_and_their_absence():
    disc = ConvexProblem(lambda x: x[0], 2, [lambda x: float(x @ x) - 1.0], ([[1.0, 1.0]], [0.5]))
    found = slater_point(disc)
    assert found.x @ found.x < 1.0
    assert abs(found.x.sum() - 0.5) < 1e-8
    apart = ConvexProblem(lambda x: x[0], 1, [lambda x: x[0], lambda x: 1.0 - x[0]])
    assert not slater_point(apart).found
    assert "contradict each other" in str(slater_point(apart))
    # Without one the best dual value, 0, is not reached: min x such that x^2 <= 0 has -1/(4 lam).
    touching = ConvexProblem(lambda x: float(x[0]), 1, [lambda x: float(x[0] ** 2)])
    assert dual_function(touching, [10.0]).value == pytest.approx(-1.0 / 40.0)


def segment(lower=-np.inf, upper=np.inf):
    """No point has ``x <= 0`` and ``x >= 1``: half of each sums to 1/2 everywhere."""
    return ConvexProblem(lambda x: x[0], 1, [lambda x: x[0], lambda x: 1.0 - x[0]], lower=lower, upper=upper)


def test_multipliers_prove_that_there_is_no_slater_point(rng):
    s = slater_point(segment(-3.0, 3.0))
    assert s.exists is False
    np.testing.assert_allclose(s.lam, [0.5, 0.5], atol=1e-6)
    assert str(s).startswith("the constraints contradict each other: 0.5 g_0 + 0.5 g_1 >= 0.5")
    assert slater_point(segment()).exists is None  # no bounded domain: found, not proved
    assert "not proved" in str(slater_point(segment()))
    # Two discs that touch, and a line that touches a disc, of which the multipliers are known.
    discs = ConvexProblem(
        lambda x: x[0],
        2,
        [lambda x: float(x @ x) - 1.0, lambda x: float((x - [2.0, 0.0]) @ (x - [2.0, 0.0])) - 1.0],
        lower=-4.0,
        upper=4.0,
    )
    s = slater_point(discs)
    assert not s.found
    np.testing.assert_allclose(s.lam, [0.5, 0.5], atol=1e-4)
    line = ConvexProblem(
        lambda x: x[0], 2, [lambda x: float(x @ x) - 1.0], ([[1.0, 1.0]], [np.sqrt(2.0)]), lower=-2, upper=2
    )
    s = slater_point(line)
    assert not s.found
    np.testing.assert_allclose(s.nu, [-np.sqrt(2.0)], atol=1e-4)
    # The claim of the multipliers, at random points of the domain.
    for _ in range(300):
        x = rng.uniform(-2.0, 2.0, size=2)
        assert s.lam @ line.slacks(x) + s.nu @ line.residual(x) >= -1e-6


@pytest.mark.parametrize("seed", range(4))
def test_strong_convexity_proves_dual_values_without_a_box(seed):
    ours, theirs, *_ = quadratic(np.random.default_rng(seed))
    theirs.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    assert not dual_function(ours, [0.3, 0.1], [0.2]).proved
    strong = replace(ours, strong_convexity=1.0)  # Q is at least the identity
    rng = np.random.default_rng(seed)
    for _ in range(5):
        lam, nu = rng.exponential(size=2), rng.normal(size=1)
        d = dual_function(strong, lam, nu)
        assert d.proved
        assert d.lower <= theirs.value + 1e-9
        # By algebra: with the ball's multiplier the Hessian is Q + 2 lam I.
        at = np.zeros(4)
        H = np.array([ours.gradient(e) - ours.gradient(at) for e in np.eye(4)]).T + 2.0 * lam[0] * np.eye(4)
        a = np.array([ours.inequalities[1](e) - ours.inequalities[1](at) for e in np.eye(4)])
        g = ours.gradient(at) + lam[1] * a + nu[0] * np.ones(4)
        exact = -0.5 * g @ np.linalg.solve(H, g) - lam[0] - 0.2 * lam[1] - 0.5 * nu[0]
        assert d.value == pytest.approx(exact, abs=1e-9)
        assert d.lower == pytest.approx(exact, abs=1e-9)
    with pytest.raises(ValueError, match=r"strong_convexity=200 contradicts the objective between \["):
        replace(ours, strong_convexity=200.0)


def test_our_problems_as_primal_and_dual(rng):
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    ridge = er.Ridge(alpha=0.5, fit_intercept=False).problem(X, y)
    best = np.linalg.solve(X.T @ X / 30.0 + 0.5 * np.eye(3), X.T @ y / 30.0)
    exact = ridge.value(best)
    for _ in range(5):
        w, theta = best + rng.normal(size=3), rng.normal(size=30)
        seen = weak_duality(ridge, w, theta)
        assert seen.proved
        # By algebra: conjugates theta^2/2 - theta y of the loss and ||v||^2 / (2 alpha) of the penalty.
        v = X.T @ theta / 30.0
        assert seen.dual == pytest.approx(np.mean(theta * y - theta**2 / 2.0) - v @ v / (2.0 * 0.5))
        assert seen.dual <= exact <= seen.primal
    assert weak_duality(ridge, best).gap <= 1e-12
    on_ball = replace(ridge, penalty=L2Ball(0.3))
    with pytest.raises(ValueError, match="x is not feasible: the objective is inf there, outside the set"):
        weak_duality(on_ball, np.ones(3))
    with pytest.raises(ValueError, match="no finite dual value"):
        weak_duality(replace(ridge, penalty=NonNegative()), np.zeros(3))
    # The Lagrangian of the set written out: its minimum at the multiplier of the ball is the minimum.
    fit = er.solve(on_ball, "projected_gradient", tol=1e-12)
    grad = on_ball.smooth(fit.w)[1]
    lam = np.linalg.norm(grad) / (2.0 * 0.3)
    d = dual_function(on_ball, [lam])
    assert d.proved
    assert d.value == pytest.approx(on_ball.value(fit.w), abs=1e-9)
    assert lagrangian(on_ball)(fit.w, [lam]) == pytest.approx(on_ball.value(fit.w), abs=1e-9)
    assert slater_point(on_ball).exists


def test_bad_input():
    p = parabola()
    with pytest.raises(ValueError, match="lam must be >= 0, got -1 for inequality 0"):
        dual_function(p, [-1.0])
    with pytest.raises(ValueError, match="one entry for each of the 1 inequalities"):
        dual_function(p, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"inequality 0 has the value 0\.5"):
        weak_duality(p, [0.5], [1.0])
    with pytest.raises(ValueError, match="outside the domain"):
        weak_duality(ConvexProblem(lambda x: x[0], 1, lower=0.0), [-1.0])
    with pytest.raises(ValueError, match="the gradient contradicts its function at x = "):
        ConvexProblem(lambda x: float(x @ x), 2, gradient=lambda x: x)
    with pytest.raises(ValueError, match="gradient of inequality 0"):
        ConvexProblem(lambda x: 0.0, 1, [lambda x: x[0]], inequality_gradients=[lambda x: -1.0 * np.ones(1)])
    with pytest.raises(ValueError, match="domain is empty"):
        ConvexProblem(lambda x: 0.0, 1, lower=1.0, upper=0.0)
    with pytest.raises(ValueError, match="equalities"):
        ConvexProblem(lambda x: 0.0, 2, equalities=([[1.0]], [1.0]))
    assert dual_function(ConvexProblem(lambda x: float(x[0]), 1)).value == -np.inf
    with pytest.raises(ValueError, match="x holds NaN"):
        kkt_residual(p, [np.nan], [1.0])
    with pytest.raises(ValueError, match=r"x must have shape \(1,\), got \(2,\)"):
        lagrangian(p)([1.0, 2.0])
    with pytest.raises(
        ValueError, match=r"inequality 0 must return one number, got an array of shape \(2,\)"
    ):
        ConvexProblem(lambda x: 0.0, 2, [lambda x: x]).slacks(np.zeros(2))
    with pytest.raises(TypeError, match=r"write \[g\] for one"):
        ConvexProblem(lambda x: 0.0, 1, lambda x: x[0])
    with pytest.raises(ValueError, match="whole number"):
        ConvexProblem(lambda x: 0.0, 1.5)
    with pytest.raises(ValueError, match="must not hold NaN"):
        ConvexProblem(lambda x: 0.0, 1, upper=np.nan)


def test_functions_that_are_not_defined_everywhere():
    barrier = ConvexProblem(lambda x: x[0] - np.log(x[0]) if x[0] > 0.0 else np.inf, 1)
    with pytest.raises(ValueError, match=r"the Lagrangian is inf at x = \[0.0\]; give an x0"):
        dual_function(barrier)
    assert dual_function(barrier, x0=[3.0]).value == pytest.approx(1.0)
    assert dual_function(replace(barrier, lower=1e-9, upper=10.0)).value == pytest.approx(1.0)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_duals_know_no_scale(scale):
    p = ConvexProblem(lambda x: scale * float(x @ x), 1, [lambda x: 1.0 - x[0]])
    assert dual_function(p, [scale]).value == pytest.approx(0.75 * scale, rel=1e-9)
