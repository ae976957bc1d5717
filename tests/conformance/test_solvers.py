"""Every solver of the registry on every kind of problem: certify the optimum or refuse by name."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.data import ArrayBlocks, BlockList, Design
from empirisk.losses import Logistic
from empirisk.penalties import L2, Zero
from empirisk.problems import LinearProblem
from empirisk.results import Certificate, ConvergenceError, Kind, Status
from empirisk.solvers import REGISTRY, choose, solve
from empirisk.typing import Capability
from tests.conformance.problems import (
    INEXACT,
    STREAMED,
    TABLE,
    UNSOLVED,
    Row,
    build,
    check_solution,
    check_solver,
    in_memory,
    numbers,
    truth,
)

# Those of kernel problems have their tests in tests/solvers/test_kernel_solvers.py, that of mixtures here in
# test_mixtures.py, those of operators and of k-means in tests/problems/test_spectral.py and test_kmeans.py.
OTHERS = {Capability.KERNEL, Capability.LATENT, Capability.OPERATOR, Capability.MEANS}
SOLVERS = sorted(name for name, kind in REGISTRY.items() if not OTHERS & kind.needs)
EVERY = [*TABLE, *STREAMED]
SMOOTH = [Row("half_squared", 0.0, 1e-3), Row("logistic", 0.0, 1e-3), Row("softmax", 0.0, 1e-2)]


def able(name: str, rows: list[Row]) -> list[Row]:
    """The rows that a solver does not refuse."""
    return [row for row in rows if REGISTRY[name].needs <= build(row).capabilities]


@pytest.mark.parametrize("row", EVERY, ids=str)
@pytest.mark.parametrize("name", SOLVERS)
def test_certifies_or_refuses(name: str, row: Row) -> None:
    check_solver(REGISTRY[name](), row)


@pytest.mark.parametrize("row", [row for row in EVERY if row.loss not in UNSOLVED], ids=str)
def test_auto_never_refuses(row: Row) -> None:
    problem = build(row)
    assert REGISTRY[choose(problem)].needs <= problem.capabilities
    tol = 1e-10 if row.dtype == "float64" else 1e-6
    check_solution(in_memory(row), solve(problem, tol=tol), truth(row), tol)


def test_every_solver_solves_something() -> None:
    for name in SOLVERS:
        assert able(name, EVERY), (
            f"add a problem that {name!r} takes to TABLE in tests/conformance/problems.py: it refuses all"
        )


# -- refusals, word for word --------------------------------------------------------------------

REFUSALS = {
    "least_squares": (
        Row("logistic", 0.0, 0.1),
        "solver 'least_squares' needs the squared loss, which this problem (loss 'logistic', penalty 'l2') "
        'does not have; use solver="auto"',
    ),
    "conjugate_gradient": (
        Row("half_squared", 0.02, 0.02),
        "solver 'conjugate_gradient' needs a differentiable penalty (none or L2), which this problem "
        "(loss 'half_squared', penalty 'elastic_net') does not have; use solver=\"auto\"",
    ),
    "newton": (
        Row("logistic", 0.05, 0.0, weights=True),
        "solver 'newton' needs a differentiable penalty (none or L2), which this problem (loss 'logistic', "
        "penalty 'elastic_net') does not have; use solver=\"auto\"",
    ),
}


@pytest.mark.parametrize("name", sorted(REFUSALS))
def test_refusal_is_a_sentence(name: str) -> None:
    row, sentence = REFUSALS[name]
    with pytest.raises(ValueError, match="solver") as caught:
        solve(build(row), name)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("tol", [-1.0, np.nan])
def test_a_tolerance_is_a_number_from_zero_on(tol: float) -> None:
    with pytest.raises(ValueError, match="tol must be a number >= 0"):
        solve(build(TABLE[0]), tol=tol)


def test_unknown_solver_lists_the_known() -> None:
    with pytest.raises(ValueError, match="solver must be one of auto, ") as caught:
        solve(build(TABLE[0]), "nonsense")
    assert "'nonsense'" in str(caught.value)
    assert all(name in str(caught.value) for name in SOLVERS)


@pytest.mark.parametrize("solver", [None, -1, ["newton"], dict])
def test_what_is_no_solver_is_refused_by_name(solver: Any) -> None:
    with pytest.raises(ValueError, match=r"solver must be one of auto, .* got "):
        solve(build(TABLE[0]), solver)
    with pytest.raises(ValueError, match=r"solver must be one of auto, .* got "):
        er.Ridge(solver=solver).fit(np.eye(3), [1.0, 2.0, 4.0])


def test_what_is_no_problem_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"problem must be a problem, .* got Ridge"):
        er.solve(er.Ridge(), "newton")
    with pytest.raises(TypeError, match=r"problem must be a problem, .* got ndarray"):
        er.convergence(np.eye(2), ["newton"])  # type: ignore[arg-type]


# -- endings ------------------------------------------------------------------------------------

HARD = Row("logistic", 0.0, 1e-3, intercept=False, storage="strided")


@pytest.mark.parametrize("name", SOLVERS)
def test_step_limit(name: str) -> None:
    rows = able(name, EVERY)
    problem = build(HARD if HARD in rows else rows[-1])
    # No certificate is this small, so that one step cannot be enough.
    solution = solve(problem, name, tol=0.0, max_steps=1)
    assert solution.n_steps == 1
    assert solution.status in {Status.MAX_STEPS, Status.FLOOR, Status.STALLED, Status.CERTIFIED}
    if solution.status.ok:  # a direct solver may be at the rounding floor at once
        assert solution.certificate.value <= solution.certificate.floor
        return
    with pytest.raises(ConvergenceError) as caught:
        solution.require()
    assert caught.value.solution is solution
    assert solution.status.value.split(":")[0] in str(caught.value)


@pytest.mark.parametrize("name", ["lbfgs", "newton"])
def test_one_step_of_an_iteration_is_not_enough(name: str) -> None:
    solution = solve(build(HARD), name, tol=1e-12, max_steps=1)
    assert solution.status is Status.MAX_STEPS
    assert "raise max_iter" in solution.sentence


@pytest.mark.parametrize("start", [1e200, np.nan, np.inf], ids=str)
@pytest.mark.parametrize("name", SOLVERS)
def test_hopeless_start_never_certifies_nonsense(name: str, start: float) -> None:
    row = able(name, EVERY)[0]
    problem = build(row)
    w0 = np.full(problem.layout.shape, start)
    if not np.isfinite(start):
        with pytest.raises(ValueError, match="w0"):
            solve(problem, name, w0=w0)
        return
    solution = solve(problem, name, w0=w0, max_steps=500)
    if solution.status is Status.CERTIFIED:  # the solver found its way back, or needs no start
        check_solution(in_memory(row), solution, truth(row), 1e-6)
    else:
        assert solution.status in {Status.DIVERGED, Status.STALLED}
        assert not solution.certificate.within(1e-6)
        with pytest.raises(ConvergenceError):
            solution.require()


def separable(penalty: Any) -> LinearProblem:
    x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    return LinearProblem(Logistic(), penalty, ArrayBlocks(Design(x), np.sign(x[:, 0]), np.ones(4)))


@pytest.mark.parametrize("name", ["auto", "lbfgs", "newton"])
def test_separable_classes_have_no_minimiser(name: str) -> None:
    solution = solve(separable(Zero()), name)
    assert solution.status is Status.UNBOUNDED, solution.sentence
    assert not solution.status.ok
    assert solve(separable(L2(1e-3)), name).status is Status.CERTIFIED


@pytest.mark.parametrize("name", SOLVERS)
def test_callback_interrupts(name: str) -> None:
    seen: list[tuple[int, Certificate]] = []

    def stop(step: int, w: np.ndarray, certificate: Certificate) -> bool:
        assert np.isfinite(w).all()
        seen.append((step, certificate))
        return True

    solution = solve(build(able(name, EVERY)[0]), name, callback=stop)
    assert solution.status is Status.INTERRUPTED
    assert len(seen) == 1
    assert seen[0][1].kind is not Kind.NONE


def test_keyboard_interrupt_passes_through() -> None:
    def press(*_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(build(TABLE[0]), callback=press)


# -- steps --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOLVERS)
def test_step_is_pure(name: str) -> None:
    problem, solver = build(able(name, EVERY)[0]), REGISTRY[name]()
    state = solver.init(problem, None)
    before = np.array(state.w)
    first = solver.step(problem, state)
    again = solver.step(problem, state)
    assert np.array_equal(state.w, before), "step changed the state that it was given"
    assert np.array_equal(first.w, again.w)
    assert dataclasses.is_dataclass(first)


@pytest.mark.parametrize("name", SOLVERS)
def test_start_is_not_changed(name: str) -> None:
    problem = build(able(name, EVERY)[0])
    w0 = np.ones(problem.layout.shape)
    w0.flags.writeable = False
    solution = solve(problem, name, w0=w0)
    assert solution.status is (Status.COMPLETED if name in INEXACT else Status.CERTIFIED)
    assert np.array_equal(w0, np.ones(problem.layout.shape))


@pytest.mark.parametrize("name", [name for name in SOLVERS if name not in INEXACT])
def test_warm_start_at_the_optimum_is_free(name: str) -> None:
    row = able(name, EVERY)[0]
    solution = solve(build(row), name, w0=truth(row).w)
    assert solution.status is Status.CERTIFIED
    assert solution.n_steps <= 2


# Over as many rows these take seconds, a grid of points twenty.
LONG = dict.fromkeys(
    ("grid_search", "subgradient", "frank_wolfe", "linear_program", "interior_point"), pytest.mark.full
)


@pytest.mark.parametrize("name", [pytest.param(name, marks=LONG.get(name, ())) for name in SOLVERS])
def test_same_bits_for_any_number_of_threads(name: str) -> None:
    row = able(name, EVERY)[0]
    case = numbers(row)
    rng = np.random.default_rng(5)
    rows = rng.integers(0, len(case.y), size=30_000)
    X = case.X[rows] + 0.1 * rng.normal(size=(30_000, case.X.shape[1]))
    y, ones = in_memory(row).data.y[rows], np.ones(30_000)
    streamed = row.storage == "blocks"
    data = BlockList.cut(X, y, ones, rows=7_000) if streamed else ArrayBlocks(Design(X), y, ones)
    problem = dataclasses.replace(build(row), data=data)
    answers = []
    for threads in (1, 2, 2):
        with threadpool_limits(threads, user_api="openmp"):
            answers.append(solve(problem, name).w)
    assert np.array_equal(answers[1], answers[2]), "two runs differ"
    assert np.array_equal(answers[0], answers[1]), "one thread and two differ"


@pytest.mark.parametrize("row", SMOOTH, ids=str)
def test_solvers_agree(row: Row) -> None:
    able = [name for name in SOLVERS if REGISTRY[name].needs <= build(row).capabilities]
    names = [name for name in able if name not in INEXACT]
    assert len(names) >= 2
    values = [build(row).value(solve(build(row), name, tol=1e-12).w) for name in names]
    assert np.ptp(values) <= 1e-11
