"""Proximal Newton: optimality by the KKT conditions, equivalences, hard data, endings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import HalfSquared, Logistic, Softmax
from empirisk.penalties import L1, ElasticNetPenalty
from empirisk.problems import LinearProblem
from empirisk.results import Solution, Status
from empirisk.solvers.coordinate import Coordinate
from empirisk.solvers.newton_block import _best_shift
from empirisk.solvers.prox_newton import ProxNewton
from empirisk.solvers.solve import solve
from tests.oracles.kkt import objective, violation

FORMS = {
    "F": np.asfortranarray,
    "C": np.ascontiguousarray,
    "csc": sp.csc_array,
    "csr": sp.csr_array,
}
LOSSES = {"logistic": Logistic(), "softmax": Softmax()}


def case(loss: str, n: int, p: int, seed: int = 0, k: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + rng.standard_normal(p)
    X[rng.random((n, p)) < 0.3] = 0.0
    outputs = k if loss == "softmax" else 2
    z = X[:, : min(p, 5)] @ rng.standard_normal((min(p, 5), outputs)) + 1.5 * rng.gumbel(size=(n, outputs))
    codes = (z - z.mean(axis=0)).argmax(axis=1)
    codes[:outputs] = np.arange(outputs)[: len(codes)]
    return X, codes if loss == "softmax" else np.where(codes == 1, 1.0, -1.0)


def problem(
    loss: str, X: Any, y: np.ndarray, penalty: Any, s: Any = None, intercept: bool = True, k: int = 3
) -> LinearProblem:
    s = np.ones(len(y)) if s is None else np.asarray(s, dtype=float)
    outputs = k if loss == "softmax" else 0
    return LinearProblem(LOSSES[loss], penalty, ArrayBlocks(Design(X), y, s), intercept, n_outputs=outputs)


def run(p: LinearProblem, tol: float = 1e-10, **options: Any) -> Solution:
    return solve(p, ProxNewton(), tol=tol, **options)


def kkt(p: LinearProblem, w: np.ndarray) -> float:
    X = p.design.X.toarray() if sp.issparse(p.design.X) else p.design.X
    coef, b = p.split(w)
    pen = p.penalty
    return violation(
        p.loss.name, X, p.data.y, p.data.weight, coef, b, pen.l1, pen.l2,
        intercept=p.intercept, positive=pen.positive,
    )  # fmt: skip


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("shape", [(60, 6), (80, 150)])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("ratio", "positive"), [(1.0, False), (0.5, False), (0.9, True)])
@pytest.mark.parametrize("intercept", [False, True])
def test_optimality(
    loss: str, shape: tuple[int, int], form: str, ratio: float, positive: bool, intercept: bool
) -> None:
    X, y = case(loss, *shape)
    p = problem(loss, FORMS[form](X), y, ElasticNetPenalty(1.0, ratio, positive), intercept=intercept)
    p = p.with_strength(p.critical_strength() / 15)
    solution = run(p)
    assert solution.status is Status.CERTIFIED, solution.sentence
    assert kkt(p, solution.w) <= 2e-3 * p.penalty.l1
    assert np.count_nonzero(p.split(solution.w)[0]) > 0


@pytest.mark.parametrize("loss", LOSSES)
def test_critical_strength_is_where_the_first_coefficient_appears(loss: str) -> None:
    X, y = case(loss, 60, 40)
    p = problem(loss, X, y, L1(1.0))
    top = p.critical_strength()
    assert not np.any(run(p.with_strength(1.0001 * top)).w[:-1])
    assert np.any(run(p.with_strength(0.99 * top)).w[:-1])


def test_one_column_by_a_scalar_search() -> None:
    from scipy.optimize import minimize_scalar

    X, y = case("logistic", 50, 1)
    p = problem("logistic", X, y, L1(0.02), intercept=False)
    best = minimize_scalar(lambda w: p.value(np.array([w])), bracket=(-2.0, 2.0), options={"xtol": 1e-12})
    assert run(p, tol=1e-12).w[0] == pytest.approx(best.x, abs=1e-6)


def test_two_classes_of_softmax_are_the_logistic_model() -> None:
    X, y = case("logistic", 80, 30)
    one = problem("logistic", X, y, L1(0.03))
    # Scores (-z/2, z/2): each half has the same L1 norm, so that both problems have the same minimum.
    two = problem("softmax", X, (y > 0).astype(int), L1(0.03), k=2)
    a, b = run(one), run(two)
    assert one.value(a.w) == pytest.approx(two.value(b.w), abs=1e-9)
    assert np.abs(a.w - (b.w[:, 1] - b.w[:, 0])).max() <= 1e-4


def test_squared_loss_agrees_with_coordinate_descent() -> None:
    rng = np.random.default_rng(2)
    X = rng.standard_normal((60, 100))
    y = X[:, :5].sum(axis=1) + rng.standard_normal(60)
    p = LinearProblem(HalfSquared(), L1(0.1), ArrayBlocks(Design(X), y, np.ones(60)))
    assert np.abs(run(p, tol=1e-12).w - solve(p, Coordinate(), tol=1e-12).w).max() <= 1e-5


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("form", ["F", "csc"])
def test_weights_are_repetitions(loss: str, form: str) -> None:
    X, y = case(loss, 60, 20)
    s = np.random.default_rng(1).integers(0, 4, size=60)
    pen = ElasticNetPenalty(0.05, 0.8)
    weighted = run(problem(loss, FORMS[form](X), y, pen, s), tol=1e-12).w
    repeated = run(problem(loss, FORMS[form](np.repeat(X, s, axis=0)), np.repeat(y, s), pen), tol=1e-12).w
    assert np.abs(weighted[:-1] - repeated[:-1]).max() <= 1e-5


@pytest.mark.parametrize("loss", LOSSES)
def test_all_forms_agree(loss: str) -> None:
    X, y = case(loss, 80, 150)
    pen = ElasticNetPenalty(0.05, 0.8)
    answers = [run(problem(loss, make(X), y, pen), tol=1e-12).w[:-1] for make in FORMS.values()]
    assert max(np.abs(a - answers[0]).max() for a in answers) <= 1e-5


@pytest.mark.parametrize("loss", LOSSES)
def test_nearly_separable_classes_with_a_small_penalty(loss: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 100))
    codes = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0) * (loss == "softmax")
    y = codes if loss == "softmax" else 2.0 * codes - 1.0
    p = problem(loss, X, y, L1(1.0))
    p = p.with_strength(p.critical_strength() / 300)
    solution = run(p, tol=1e-6)
    assert solution.status is Status.CERTIFIED, solution.sentence
    assert np.linalg.norm(p.scores(solution.w)) > 10.0  # far out, where curvatures are small


def test_zero_constant_and_unlike_columns() -> None:
    X, y = case("logistic", 80, 12)
    X[:, 3], X[:, 5] = 0.0, 2.5
    p = problem("logistic", X * np.logspace(-6, 6, 12), y, L1(1.0))
    p = p.with_strength(p.critical_strength() / 50)
    solution = run(p, tol=1e-8)
    assert solution.status is Status.CERTIFIED, solution.sentence
    assert solution.w[3] == solution.w[5] == 0.0


@pytest.mark.parametrize("loss", LOSSES)
def test_float32_data(loss: str) -> None:
    X, y = case(loss, 80, 150)
    p = problem(loss, X.astype(np.float32), y, L1(0.03))
    solution = run(p, tol=1e-6)
    assert solution.status is Status.CERTIFIED, solution.sentence
    assert kkt(p, solution.w) <= 0.05 * p.penalty.l1


@pytest.mark.full  # drawn many times
@settings(max_examples=25, deadline=None)
@given(
    loss=st.sampled_from(sorted(LOSSES)),
    n=st.integers(6, 30),
    p=st.integers(1, 80),
    seed=st.integers(0, 2**20),
    ratio=st.sampled_from([1.0, 0.5]),
    divisor=st.floats(1.1, 50.0),
    form=st.sampled_from(sorted(FORMS)),
)
def test_gap_is_a_bound(
    loss: str, n: int, p: int, seed: int, ratio: float, divisor: float, form: str
) -> None:
    """The certificate of every step is above the true distance to the best value that is ever found."""
    X, y = case(loss, n, p, seed)
    made = problem(loss, FORMS[form](X), y, ElasticNetPenalty(1.0, ratio))
    top = made.critical_strength()
    made = made.with_strength(top / divisor if top > 0.0 else 1.0)
    seen: list[tuple[np.ndarray, float]] = []
    solution = run(made, tol=1e-7, callback=lambda _step, w, c: seen.append((w, c.value)))
    best = solve(made, ProxNewton(accuracy=1e-13), w0=solution.w, tol=1e-12, max_steps=20).w
    pen, s = made.penalty, np.ones(n)

    def value(w: np.ndarray) -> float:
        return objective(loss, X, y, s, w[:-1], w[-1], pen.l1, pen.l2)

    for w, gap in seen:
        assert value(w) - value(best) <= gap + 1e-12
    assert solution.status is Status.CERTIFIED, solution.sentence


@pytest.mark.full  # drawn many times
@settings(max_examples=20, deadline=None)
@given(loss=st.sampled_from(sorted(LOSSES)), seed=st.integers(0, 2**20), divisor=st.floats(1.5, 20.0))
def test_screening_never_drops_a_column_of_the_support(loss: str, seed: int, divisor: float) -> None:
    X, y = case(loss, 40, 120, seed)
    p = problem(loss, X, y, L1(1.0))
    p = p.with_strength(p.critical_strength() / divisor)
    coef = run(p).w[:-1].reshape(120, -1)
    support = set(np.flatnonzero(np.abs(coef).max(axis=1) > 1e-6))
    solver = ProxNewton()
    state = solver.init(p)
    for _ in range(4):
        state = solver.step(p, state)
        assert support <= set(state.alive)


@settings(max_examples=60, deadline=None)
@given(
    row=st.lists(st.floats(-5.0, 5.0), min_size=2, max_size=6),
    l1=st.sampled_from([0.0, 0.3, 2.0]),
    l2=st.sampled_from([0.0, 0.1, 3.0]),
)
def test_best_shift_of_a_row(row: list[float], l1: float, l2: float) -> None:
    w = np.array([row])

    def penalty(t: np.ndarray) -> np.ndarray:
        moved = w - t[:, None]
        return l1 * np.abs(moved).sum(axis=1) + 0.5 * l2 * (moved**2).sum(axis=1)

    t = _best_shift(w, l1, l2) if l1 + l2 > 0.0 else np.zeros(1)
    grid = np.linspace(-6.0, 6.0, 4001)
    assert penalty(t)[0] <= penalty(grid).min() + 1e-12


def test_one_step_is_not_enough_and_interrupts() -> None:
    X, y = case("logistic", 80, 2000)
    p = problem("logistic", X, y, L1(1.0))
    p = p.with_strength(p.critical_strength() / 30)
    assert run(p, max_steps=1).status is Status.MAX_STEPS
    assert run(p, callback=lambda *_: True).status is Status.INTERRUPTED
