"""Coordinate descent: optimality by the KKT conditions, closed forms, hard data, invariances, endings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import HalfSquared
from empirisk.penalties import L1, ElasticNetPenalty
from empirisk.penalties.zero import Zero
from empirisk.problems import LinearProblem
from empirisk.results import ConvergenceError, Solution, Status
from empirisk.solvers.coordinate import Coordinate
from empirisk.solvers.screening import safely_zero
from empirisk.solvers.solve import solve
from tests.oracles.kkt import objective, violation

FORMS = {
    "F": np.asfortranarray,
    "C": np.ascontiguousarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "csc": sp.csc_array,
    "csr": sp.csr_array,
}


def problem(X: Any, y: Any, penalty: Any, s: Any = None, intercept: bool = True) -> LinearProblem:
    s = np.ones(len(y)) if s is None else np.asarray(s, dtype=float)
    blocks = ArrayBlocks(Design(X), np.asarray(y, dtype=float), s)
    return LinearProblem(HalfSquared(), penalty, blocks, intercept)


def run(p: LinearProblem, tol: float = 1e-13, **options: Any) -> Solution:
    return solve(p, Coordinate(), tol=tol, **options)


def kkt(p: LinearProblem, w: np.ndarray) -> float:
    X = p.design.X.toarray() if sp.issparse(p.design.X) else p.design.X
    coef, b = p.split(w)
    pen = p.penalty
    return violation(
        "half_squared", X, p.data.y, p.data.weight, coef, b, pen.l1, pen.l2,
        intercept=p.intercept, positive=pen.positive,
    )  # fmt: skip


def data(n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + rng.standard_normal(p)
    X[rng.random((n, p)) < 0.3] = 0.0
    return X, X[:, : min(p, 8)].sum(axis=1) + rng.standard_normal(n) + 4.0


@pytest.mark.parametrize("shape", [(40, 7), (60, 150), (30, 500)])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ratio", [1.0, 0.9, 0.3])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_optimality(shape: tuple[int, int], form: str, ratio: float, positive: bool, intercept: bool) -> None:
    X, y = data(*shape)
    p = problem(FORMS[form](X), y, ElasticNetPenalty(1.0, ratio, positive), intercept=intercept)
    p = p.with_strength(p.critical_strength() / 30)
    solution = run(p, tol=1e-12)
    assert solution.status is Status.CERTIFIED, solution.sentence
    assert kkt(p, solution.w) <= 1e-5 * p.penalty.l1
    assert np.count_nonzero(p.split(solution.w)[0]) > 0


def test_orthogonal_design_is_soft_thresholding() -> None:
    rng = np.random.default_rng(3)
    Q, _ = np.linalg.qr(rng.standard_normal((50, 20)))
    X, y = np.sqrt(50) * Q, rng.standard_normal(50) * 3
    c, l1, l2 = X.T @ y / 50, 0.2, 0.3
    w = run(problem(X, y, ElasticNetPenalty(l1 + l2, l1 / (l1 + l2)), intercept=False)).w
    assert np.abs(w - np.sign(c) * np.maximum(np.abs(c) - l1, 0.0) / (1.0 + l2)).max() <= 1e-7


def test_critical_strength_is_where_the_first_coefficient_appears() -> None:
    X, y = data(40, 60)
    p = problem(X, y, L1(1.0))
    top = p.critical_strength()
    assert not np.any(run(p.with_strength(top)).w[:-1])
    assert np.count_nonzero(run(p.with_strength(0.999 * top)).w[:-1]) == 1


@pytest.mark.parametrize("intercept", [False, True])
def test_non_negative_least_squares(intercept: bool) -> None:
    from scipy.optimize import nnls

    X, y = data(60, 20)
    X[:, ::2] *= -1.0
    p = problem(X, y, Zero(positive=True), intercept=intercept)
    solution = run(p, tol=1e-9)
    assert solution.status is Status.CERTIFIED, solution.sentence
    A = np.column_stack([X, np.ones(60), -np.ones(60)]) if intercept else X
    reference = nnls(A, y)[0]
    assert np.abs(p.split(solution.w)[0] - reference[:20]).max() <= 1e-7
    assert np.any(reference[:20] == 0.0)


def test_scales_twelve_orders_up_and_down() -> None:
    X, y = data(50, 30)
    scale = np.logspace(-12, 12, 30)
    p = problem(X * scale, y, L1(1.0))
    p = p.with_strength(p.critical_strength() / 100)
    solution = run(p, tol=1e-9)
    assert solution.status is Status.CERTIFIED, solution.sentence
    assert kkt(p, solution.w) <= 1e-3 * p.penalty.l1
    assert np.count_nonzero(solution.w[:-1]) >= 1


def test_zero_constant_and_duplicated_columns() -> None:
    X, y = data(50, 10)
    X[:, 2], X[:, 4], X[:, 7] = 0.0, 3.7, X[:, 6]
    p = problem(X, y, L1(0.01))
    solution = run(p, tol=1e-10)
    assert solution.status is Status.CERTIFIED, solution.sentence
    assert solution.w[2] == solution.w[4] == 0.0
    assert kkt(p, solution.w) <= 1e-6
    # Without an intercept the constant column is a column like any other.
    alone = problem(X, y, L1(0.01), intercept=False)
    assert run(alone, tol=1e-10).w[4] != 0.0


@pytest.mark.parametrize("form", FORMS)
def test_degenerate_sizes(form: str) -> None:
    rng = np.random.default_rng(0)
    one_row = run(problem(FORMS[form](rng.standard_normal((1, 4))), [2.0], L1(0.1)))
    assert one_row.status is Status.CERTIFIED
    assert not np.any(one_row.w[:-1])
    assert one_row.w[-1] == 2.0
    no_columns = run(problem(FORMS[form](np.zeros((3, 0))), [1.0, 2.0, 6.0], L1(0.1)))
    assert no_columns.w.tolist() == [3.0]
    constant = run(problem(FORMS[form](rng.standard_normal((9, 4))), np.full(9, 5.0), L1(0.1)))
    assert constant.status is Status.CERTIFIED
    assert constant.w == pytest.approx([0.0, 0.0, 0.0, 0.0, 5.0], abs=1e-14)


@pytest.mark.parametrize("form", FORMS)
def test_weights_are_repetitions(form: str) -> None:
    X, y = data(40, 60)
    s = np.random.default_rng(1).integers(0, 4, size=40)
    weighted = problem(FORMS[form](X), y, L1(0.1), s)
    repeated = problem(FORMS[form](np.repeat(X, s, axis=0)), np.repeat(y, s), L1(0.1))
    scaled = problem(FORMS[form](X), y, L1(0.1), 1e-3 * s)
    a, b, c = run(weighted).w, run(repeated).w, run(scaled).w
    assert np.abs(a - b).max() <= 1e-6
    assert np.abs(a - c).max() <= 1e-6


def test_all_forms_agree() -> None:
    X, y = data(60, 150)
    answers = [run(problem(make(X), y, L1(0.1))).w for make in FORMS.values()]
    assert max(np.abs(a - answers[0]).max() for a in answers) <= 1e-6


def test_float32_data() -> None:
    X, y = data(80, 200)
    p = problem(X.astype(np.float32), y, L1(0.1))
    solution = run(p, tol=1e-6)
    assert solution.status is Status.CERTIFIED, solution.sentence
    assert kkt(p, solution.w) <= 1e-3 * p.penalty.l1


def test_read_only_arrays() -> None:
    X, y = data(30, 100)
    for a in (X, y):
        a.setflags(write=False)
    assert run(problem(X, y, L1(0.1))).status is Status.CERTIFIED


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(2, 25),
    p=st.integers(1, 90),
    seed=st.integers(0, 2**20),
    ratio=st.sampled_from([1.0, 0.99, 0.5]),
    divisor=st.floats(1.1, 300.0),
    form=st.sampled_from(sorted(FORMS)),
    positive=st.booleans(),
)
def test_gap_is_a_bound(
    n: int, p: int, seed: int, ratio: float, divisor: float, form: str, positive: bool
) -> None:
    """The certificate of every step is above the true distance to the best value that is ever found."""
    X, y = data(n, p, seed)
    made = problem(FORMS[form](X), y, ElasticNetPenalty(1.0, ratio, positive))
    top = made.critical_strength()
    made = made.with_strength(top / divisor if top > 0.0 else 1.0)
    seen: list[tuple[np.ndarray, float]] = []
    solution = run(made, callback=lambda _step, w, c: seen.append((w, c.value)))
    pen = made.penalty
    s = np.ones(n)
    values = [objective("half_squared", X, y, s, w[:-1], w[-1], pen.l1, pen.l2) for w, _ in seen]
    slack = 1e-12 * (1.0 + float(y @ y))
    for value, (_, gap) in zip(values, seen, strict=True):
        assert value - min(values) <= gap + slack
    assert solution.status in {Status.CERTIFIED, Status.FLOOR}, solution.sentence


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**20), divisor=st.floats(1.5, 50.0), epochs=st.integers(0, 4))
def test_screening_never_drops_a_column_of_the_support(seed: int, divisor: float, epochs: int) -> None:
    X, y = data(30, 120, seed)
    p = problem(X, y, L1(1.0))
    p = p.with_strength(p.critical_strength() / divisor)
    support = set(np.flatnonzero(run(p).w[:-1]))
    solver = Coordinate()
    state = solver.init(p)
    for _ in range(epochs):
        state = solver.step(p, state)
        assert support <= set(state.alive)


def test_screening_drops_most_columns_near_the_optimum() -> None:
    X, y = data(60, 500)
    p = problem(X, y, L1(1.0))
    p = p.with_strength(p.critical_strength() / 5)
    state = run(p).state
    assert len(state.alive) < 250
    # A larger gap, or a longer column, keeps more.
    size, norm = np.array([0.5, 0.9, 0.99]), np.ones(3)
    assert safely_zero(size, norm, 1.0, 1e-4, 1.0).tolist() == [True, True, False]
    assert safely_zero(size, norm, 1.0, 1e-1, 1.0).tolist() == [False, False, False]
    assert safely_zero(size, 10.0 * norm, 1.0, 1e-4, 1.0).tolist() == [True, False, False]


def test_memory_of_the_gram_matrix_is_not_shared_between_branches() -> None:
    X, y = data(60, 400)
    p = problem(X, y, L1(1.0))
    p = p.with_strength(p.critical_strength() / 40)
    solver = Coordinate()
    state = solver.step(p, solver.init(p))
    one = solver.step(p, state)
    other = solver.step(p.with_strength(0.3 * p.penalty.alpha), state)
    again = solver.step(p, one)
    index = one.gram.index
    wanted = np.cov(X[:, index].T, bias=True)
    assert np.abs(one.gram.gram - wanted).max() <= 1e-12 * np.abs(wanted).max()
    assert len(other.gram.index) != len(index) or np.any(other.gram.index != index)
    assert again.gap <= one.gap


def test_in_place_columns_when_the_gram_matrix_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data(60, 150)
    p = problem(np.asfortranarray(X), y, ElasticNetPenalty(0.1, 0.9))
    expected = run(p).w
    monkeypatch.setattr("empirisk.solvers.coordinate.gram_fits", lambda *_: False)
    solution = run(p)
    assert solution.state.gram is None
    assert np.abs(solution.w - expected).max() <= 1e-6


def test_one_step_is_not_enough() -> None:
    X, y = data(60, 3000)
    p = problem(X, y, L1(1.0))
    solution = run(p.with_strength(p.critical_strength() / 50), max_steps=1)
    assert solution.status is Status.MAX_STEPS
    assert solution.certificate.value > 0.0
    with pytest.raises(ConvergenceError, match="raise max_iter"):
        solution.require()


def test_far_start_and_interrupt() -> None:
    X, y = data(60, 100)
    p = problem(X, y, L1(0.1))
    expected = run(p).w
    assert np.abs(run(p, w0=np.full(101, 1e3)).w - expected).max() <= 1e-6
    assert run(p, w0=expected).n_steps == 1
    stopped = run(p, callback=lambda *_: True)
    assert stopped.status is Status.INTERRUPTED
