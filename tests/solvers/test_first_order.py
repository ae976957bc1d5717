"""Rates of the theorems step by step, with the problems' own constants; honest certificates on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.data import ArrayBlocks, Design
from empirisk.losses import HalfSquared, Logistic, user_loss
from empirisk.penalties import L1, L2, Box, GroupLasso, L1Ball, L2Ball, Simplex, Zero
from empirisk.problems import LinearProblem
from empirisk.results import ConvergenceError, Kind, Status
from empirisk.solvers import FISTA, REGISTRY, FrankWolfe, GradientDescent, Subgradient, solve
from tests.conformance.problems import TABLE, Row, build, truth


def ridge(n: int = 40, p: int = 4, alpha: float = 0.1) -> tuple[LinearProblem, np.ndarray]:
    """A ridge problem without intercept, and its minimiser by the normal equations."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(n, p)) * [3.0, 1.0, 0.5, 1.0][:p], rng.normal(size=n)
    best = np.linalg.solve(X.T @ X / n + alpha * np.eye(p), X.T @ y / n)
    return LinearProblem(HalfSquared(), L2(alpha), ArrayBlocks(Design(X), y, np.ones(n)), False), best


def run(problem: LinearProblem, solver: Any, steps: int) -> list[np.ndarray]:
    """Return the starting point and the iterates after it."""
    state = solver.init(problem, None)
    out = [state.w]
    for _ in range(steps):
        state = solver.step(problem, state)
        out.append(state.w)
    return out


# -- gradient descent ---------------------------------------------------------------------------


@pytest.mark.parametrize("share", [1.0, 0.4])
def test_gradient_descent_contracts(share: float) -> None:
    problem, best = ridge()
    L, mu = problem.constants.L, problem.constants.mu
    assert L.proved
    assert mu.proved
    g = share / L.value
    ws = run(problem, GradientDescent(g), 60)
    start = np.sum((ws[0] - best) ** 2)
    for t, w in enumerate(ws):
        assert np.sum((w - best) ** 2) <= (1.0 - g * mu.value) ** t * start * (1.0 + 1e-9) + 1e-28


@pytest.mark.parametrize("step", ["1/L", "backtracking"])
def test_gradient_descent_without_strong_convexity(step: str) -> None:
    row = Row("logistic", 0.0, 0.0)
    problem, best = build(row), truth(row)
    if step == "backtracking":
        assert solve(problem, GradientDescent(step), max_steps=50_000).status is Status.CERTIFIED
        return
    ws = run(problem, GradientDescent(step), 100)
    far = np.sum((ws[0] - best.w) ** 2)
    for t, w in enumerate(ws[1:], 1):
        assert problem.value(w) - best.value <= problem.constants.L.value * far / (2.0 * t) * (1.0 + 1e-9)


def test_steps_beyond_two_over_l_are_named() -> None:
    x = np.array([[10.0], [-10.0], [5.0], [-5.0]])
    data = ArrayBlocks(Design(x), np.array([1.0, -1.0, 0.0, 2.0]), np.ones(4))
    problem = LinearProblem(HalfSquared(), Zero(), data, intercept=False)  # L = 62.5
    solution = solve(problem, GradientDescent(0.5))
    assert solution.status is Status.DIVERGED
    assert solution.note == "step 0.5 exceeds 2/L = 0.032"
    with pytest.raises(ConvergenceError, match=r"step 0\.5 exceeds 2/L = 0\.032"):
        solution.require()
    assert np.isfinite(solution.certificate.value)  # of the best point seen
    assert solve(problem, GradientDescent(0.031), tol=1e-10).status is Status.CERTIFIED


@pytest.mark.parametrize("step", [0.0, -1.0, np.nan, np.inf, "long", True])
def test_bad_steps_are_refused(step: Any) -> None:
    with pytest.raises(ValueError, match="step_size must be a number > 0"):
        GradientDescent(step)


def test_no_l_no_fixed_step() -> None:
    problem = build(Row("poisson", 0.0, 0.1, weights=True))
    with pytest.raises(ValueError, match='use step_size="backtracking"'):
        solve(problem, GradientDescent("1/L"))


# -- accelerated proximal gradients -------------------------------------------------------------

NO_INTERCEPT = [row for row in TABLE if not row.intercept and (row.shape or row.l1)]
SMOOTH = [row for row in NO_INTERCEPT if FISTA.needs <= build(row).capabilities and row.loss != "softmax"]


@pytest.mark.parametrize("accelerate", [True, False])
@pytest.mark.parametrize("row", SMOOTH, ids=str)
def test_rate_of_proximal_gradients(row: Row, accelerate: bool) -> None:
    problem, best = build(row), truth(row)
    solver = FISTA(accelerate, adaptive=False)
    state = solver.init(problem, None)
    far = np.sum((state.w - best.w) ** 2)
    for k in range(1, 80):
        state = solver.step(problem, state)
        bound = 2.0 * state.L * far / (k + 1) ** 2 if accelerate else state.L * far / (2.0 * k)
        assert problem.value(state.w) - best.value <= bound * (1.0 + 1e-9) + 1e-14


def test_the_rate_is_no_accident() -> None:
    # Half a step too far and the plain method breaks the bound that it keeps above.
    problem, best = ridge(alpha=1e-6)
    L = problem.constants.L.value
    far = np.sum(best**2)
    w = np.zeros(4)
    for _ in range(40):
        w = w - 2.1 / L * (problem.evaluate(w).grad + 1e-6 * w)
    assert problem.value(w) - problem.value(best) > L * far / 80.0


def test_user_losses_meet_every_penalty() -> None:
    squares = user_loss(lambda y, z: 0.5 * (z - y) ** 2, lambda y, z: z - y, curvature=(1.0, 1.0))
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(30, 4)), rng.normal(size=30)
    data = ArrayBlocks(Design(X), y, np.ones(30))
    penalties = [GroupLasso(0.1, [[0, 1], [2, 3]]), L1(0.1), L2Ball(0.2), Simplex(), Box(-0.1, 0.1)]
    for penalty in penalties:
        mine, ours = (
            solve(LinearProblem(loss, penalty, data), tol=1e-11).require()
            for loss in (squares, HalfSquared())
        )
        np.testing.assert_allclose(mine.w, ours.w, atol=2e-5)


# -- subgradients -------------------------------------------------------------------------------

LIPSCHITZ = [
    row
    for row in TABLE
    if not row.intercept
    and not row.weights
    and Subgradient.needs <= build(row).capabilities
    and np.isfinite(build(row).loss.lipschitz)
]


@pytest.mark.parametrize("row", LIPSCHITZ, ids=str)
def test_subgradients_keep_the_promise_of_their_theorem(row: Row) -> None:
    problem, best, T = build(row), truth(row), 400
    solution = solve(problem, Subgradient(n_steps=T), tol=1e-15, w0=problem.zeros(), check_every=T)
    mu = problem.penalty.l2
    if mu > 0.0:
        B = np.sqrt(2.0 * problem.null_excess / mu)
        G = problem.constants.rho.value + mu * B + problem.penalty.l1 * np.sqrt(problem.data.n_cols)
        promised = G**2 * (1.0 + np.log(T)) / (2.0 * mu * T)
    else:
        promised = problem.penalty.radius * problem.constants.rho.value / np.sqrt(T)
    assert solution.status is Status.COMPLETED
    excess = problem.value(solution.w) - best.value
    assert excess <= promised
    assert excess <= solution.certificate.value <= promised * (1.0 + 1e-9)


@pytest.mark.parametrize("output", ["average", "suffix", "last", "best"])
def test_subgradients_approach_the_optimum(output: str) -> None:
    row = Row("absolute", 0.0, 0.1, weights=True)
    problem, best = build(row), truth(row)
    errors = [
        problem.value(solve(problem, Subgradient(output=output, n_steps=T), tol=1e-15, check_every=T).w)
        - best.value
        for T in (30, 1000)
    ]
    assert errors[1] < 0.2 * errors[0]


def test_subgradients_refuse_by_name() -> None:
    with pytest.raises(ValueError, match="output must be one of"):
        Subgradient(output="first")
    with pytest.raises(ValueError, match="schedule must be"):
        Subgradient(schedule="fast")
    with pytest.raises(ValueError, match="needs an L2 penalty or a bounded constraint set"):
        solve(replace(ridge()[0], penalty=Zero()), "subgradient")


# -- sets ---------------------------------------------------------------------------------------


def classes(penalty: Any, n: int = 200, p: int = 12) -> LinearProblem:
    """Return a logistic regression over a constraint set."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n, p)) + 0.5 * rng.normal(size=(n, 1))
    y = np.where(X[:, 0] - X[:, 1] + rng.logistic(size=n) > 0.0, 1.0, -1.0)
    return LinearProblem(Logistic(), penalty, ArrayBlocks(Design(X), y, np.ones(n)))


@pytest.mark.parametrize("penalty", [L1Ball(0.5), L2Ball(0.5), Simplex(), Box(-0.1, 0.3)], ids=str)
@pytest.mark.parametrize("pairwise", [True, False])
def test_frank_wolfe_certifies_itself(penalty: Any, pairwise: bool) -> None:
    problem = classes(penalty)
    best = problem.value(solve(problem, "projected_gradient", tol=1e-13).require().w)
    solver = FrankWolfe(pairwise)
    state = solver.init(problem, None)
    size = np.linalg.norm(problem.design.X, ord=2) ** 2 / (4.0 * 200.0)
    corners = np.diff(np.array([[-0.5, 0.5]])) if not isinstance(penalty, Box) else np.full(12, 0.4)
    curvature = size * float(np.sum(corners**2) if isinstance(penalty, Box | L2Ball) else 2.0)
    for t in range(60):
        state = solver.step(problem, state)
        coef, _ = problem.split(state.w)
        assert penalty.contains(coef)
        grad, _ = problem.split(problem.evaluate(state.w).grad)
        gap = grad @ (coef - penalty.linear_minimizer(grad))
        excess = problem.value(state.w) - best
        # The gap needs the intercept at its best, which the next step finds; the certificate does not.
        certificate = problem.certify(state.w)
        assert certificate.kind is Kind.DUALITY_GAP
        assert -1e-13 <= excess <= certificate.value + certificate.floor
        assert gap >= -1e-15
        if not pairwise and t > 0:
            assert excess <= 2.0 * curvature / (t + 2) * (1.0 + 1e-9)


@pytest.mark.parametrize("name", ["projected_gradient", "fista", "frank_wolfe"])
def test_every_iterate_lies_in_the_set(name: str) -> None:
    problem = classes(Simplex())
    for w in run(problem, REGISTRY[name](), 15):
        assert problem.penalty.contains(problem.split(w)[0])


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("name", ["gradient_descent", "projected_gradient", "fista", "frank_wolfe"])
def test_the_step_limit_leaves_an_honest_certificate(name: str, steps: int) -> None:
    problem = ridge()[0] if name == "gradient_descent" else classes(L1Ball(2.0))
    best = problem.value(solve(problem, tol=1e-12).require().w)
    solution = solve(problem, name, tol=1e-14, max_steps=steps)
    assert solution.status is Status.MAX_STEPS
    excess = problem.value(solution.w) - best
    assert 0.0 < excess <= solution.certificate.value
    with pytest.raises(ConvergenceError, match="raise max_iter"):
        solution.require()


def test_hopeless_columns_end_in_words() -> None:
    X = np.array([[1e200, 1.0], [-1e200, 2.0], [0.0, 3.0]])
    y = np.array([1.0, 3.0, 2.5])
    problem = LinearProblem(HalfSquared(), L2Ball(1.0), ArrayBlocks(Design(X), y, np.ones(3)))
    solution = solve(problem, "projected_gradient", max_steps=50)
    assert not solution.status.ok
    assert solution.sentence
    # A target that needs no column is fitted by the intercept, whatever the columns are.
    constant = LinearProblem(HalfSquared(), L2Ball(1.0), ArrayBlocks(Design(X), np.ones(3), np.ones(3)))
    easy = solve(constant, "projected_gradient", max_steps=50)
    assert easy.status.ok
    np.testing.assert_array_equal(easy.w, [0.0, 0.0, 1.0])


# -- group lasso --------------------------------------------------------------------------------


def kkt(problem: LinearProblem, w: np.ndarray, groups: np.ndarray, alpha: float) -> float:
    """The largest violation of the optimality conditions, written out."""
    grad = problem.evaluate(w).grad
    worst = abs(grad[-1]) if problem.intercept else 0.0
    for group in groups:
        size, c = np.linalg.norm(w[group]), alpha * np.sqrt(len(group))
        if size > 0.0:
            worst = max(worst, np.linalg.norm(grad[group] + c * w[group] / size))
        else:
            worst = max(worst, np.linalg.norm(grad[group]) - c)
    return float(worst)


@pytest.mark.parametrize("share", [0.5, 0.02])  # few groups: a Gram matrix; most of them: columns in place
@pytest.mark.parametrize("form", [np.asfortranarray, np.ascontiguousarray, "csr", "csc"])
@pytest.mark.parametrize("loss", [HalfSquared(), Logistic()], ids=lambda loss: loss.name)
def test_group_lasso_is_optimal(loss: Any, form: Any, share: float) -> None:
    import scipy.sparse as sp

    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 200)) + 0.3 * rng.normal(size=(60, 1)) + 0.5
    X[rng.random(X.shape) < 0.5] = 0.0
    z = X[:, :6] @ np.array([1.0, -1.0, 0.5, 0.0, 1.0, -1.0]) + 0.3 * rng.normal(size=60)
    y = z if loss.name == "half_squared" else np.sign(z - np.median(z))
    stored = {"csr": sp.csr_array, "csc": sp.csc_array}.get(form, form)(X)
    groups = np.split(np.arange(200), np.arange(4, 200, 4))
    groups = [*groups[:-1], groups[-1][:2], groups[-1][2:]]  # of unlike sizes
    penalty = GroupLasso(1.0, [g.tolist() for g in groups])
    problem = LinearProblem(loss, penalty, ArrayBlocks(Design(stored), y, np.ones(60)))
    alpha = share * problem.critical_strength()
    problem = problem.with_strength(alpha)
    solution = solve(problem, "block_coordinate", tol=1e-13).require()
    assert kkt(problem, solution.w, groups, alpha) <= 1e-5 * problem.critical_strength()
    other = solve(problem, "fista", tol=1e-9, max_steps=50_000).require()
    assert problem.value(solution.w) <= problem.value(other.w) + 1e-13


def test_group_lasso_paths_are_certified() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 60))
    y = X[:, :5].sum(axis=1) + rng.normal(size=80)
    penalty = GroupLasso(1.0, np.arange(60).reshape(12, 5).tolist())
    model = er.PenalizedRegressor(penalty, alpha="cv", alphas=15).fit(X, y)
    assert model.certificate_.within(1e-6)
    chosen = np.flatnonzero(np.linalg.norm(model.coef_.reshape(12, 5), axis=1))
    assert 0 in chosen
    assert len(chosen) < 12


@pytest.mark.slow
def test_skglm_finds_no_better() -> None:
    skglm = pytest.importorskip("skglm")
    from skglm.datafits import QuadraticGroup
    from skglm.penalties import WeightedGroupL2
    from skglm.solvers import GroupBCD
    from skglm.utils.data import grp_converter

    rng = np.random.default_rng(5)
    X, groups = np.asfortranarray(rng.normal(size=(50, 120))), np.arange(120).reshape(30, 4)
    y = X[:, :4].sum(axis=1) + rng.normal(size=50)
    model = er.PenalizedRegressor(GroupLasso(0.05, groups.tolist()), fit_intercept=False, tol=1e-12).fit(X, y)
    index, start = grp_converter(4, 120)
    theirs = skglm.GeneralizedLinearEstimator(
        QuadraticGroup(start, index),
        WeightedGroupL2(0.05, np.full(30, 2.0), start, index),
        GroupBCD(fit_intercept=False, tol=1e-10),
    ).fit(X, y)
    problem = model.problem(X, y)
    assert problem.value(model.coef_) <= problem.value(np.ravel(theirs.coef_)) + 1e-12
    np.testing.assert_allclose(model.coef_, np.ravel(theirs.coef_), atol=1e-5)


def test_ridge_in_disguise() -> None:
    # One column a group is the lasso; weights sqrt(1) = 1.
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(40, 8)), rng.normal(size=40)
    data = ArrayBlocks(Design(X), y, np.ones(40))
    groups = LinearProblem(HalfSquared(), GroupLasso(0.1, [[j] for j in range(8)]), data)
    lasso = replace(groups, penalty=L1(0.1))
    np.testing.assert_allclose(
        solve(groups, tol=1e-13).require().w, solve(lasso, tol=1e-13).require().w, atol=1e-6
    )
