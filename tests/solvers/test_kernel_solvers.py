"""Solvers of kernel problems: optima against quadratic programming and exact algebra, and what every
solver owes.
"""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.kernels import Gaussian, Linear, Precomputed
from empirisk.losses import (
    Absolute,
    EpsilonInsensitive,
    HalfSquared,
    Hinge,
    Logistic,
    Loss,
    Poisson,
    Quantile,
)
from empirisk.penalties import L2
from empirisk.problems import KernelProblem, LinearProblem
from empirisk.results import Certificate, Status
from empirisk.solvers import REGISTRY
from empirisk.solvers.kinked_intercept import kinked_intercept
from empirisk.solvers.smo import SMO
from empirisk.typing import Array, Capability

KERNEL = Gaussian(gamma=0.3)
KINKED: list[Loss] = [Hinge(), EpsilonInsensitive(0.2), Quantile(0.3), Absolute()]
SMOOTH: list[Loss] = [HalfSquared(), Logistic(), Poisson()]
SOLVERS = [name for name, kind in REGISTRY.items() if Capability.KERNEL in kind.needs]


def posed(
    loss: Loss, rng: np.random.Generator, n: int = 40, alpha: float = 0.02, kernel: Any = KERNEL
) -> KernelProblem:
    """Rows with a wave in them, weights of which some are 0."""
    X = rng.normal(size=(n, 3))
    z = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.4 * rng.normal(size=n)
    y = np.where(z > 0.0, 1.0, -1.0) if loss.labels else np.floor(np.exp(z)) if loss.counts else z
    weight = rng.integers(0, 4, n).astype(float)
    return KernelProblem(loss, kernel, alpha, ArrayBlocks(Design(X), y, weight))


def loss_in_cvxpy(loss: Any, y: Array, z: Any) -> Any:
    """The losses with kinks, as the modelling language writes them."""
    r = z - y
    return {
        "hinge": lambda: cp.pos(1.0 - cp.multiply(y, z)),
        "epsilon_insensitive": lambda: cp.pos(cp.abs(r) - loss.epsilon),
        "quantile": lambda: cp.maximum(-loss.q * r, (1.0 - loss.q) * r),
        "absolute": lambda: cp.abs(r),
    }[loss.name]()


@pytest.mark.parametrize("loss", KINKED, ids=lambda loss: loss.name)
def test_optimum_is_that_of_a_quadratic_program(loss: Loss, rng: np.random.Generator) -> None:
    problem = posed(loss, rng)
    found = er.solve(problem, "smo", tol=1e-11)
    assert found.status is Status.CERTIFIED
    K, s = KERNEL.block(problem.rows), problem.data.weight
    root = np.linalg.cholesky(K + 1e-13 * np.eye(len(K)))
    v, b = cp.Variable(len(K)), cp.Variable()
    value = s / s.sum() @ loss_in_cvxpy(
        loss, problem.data.y, root @ v + b
    ) + 0.5 * problem.alpha * cp.sum_squares(v)
    least = float(
        cp.Problem(cp.Minimize(value)).solve(solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12)
    )
    own = problem.objective(found.w, problem.evaluate(found.w))
    assert abs(own - least) <= 1e-8 * problem.scale()


@pytest.mark.parametrize("loss", [*KINKED, *SMOOTH], ids=lambda loss: loss.name)
def test_a_linear_kernel_is_the_linear_model(loss: Loss, rng: np.random.Generator) -> None:
    problem = posed(loss, rng, kernel=Linear())
    data = problem.data
    flat = LinearProblem(loss, L2(problem.alpha), data, intercept=True)
    straight = er.solve(flat, tol=1e-10)
    found = er.solve(problem, tol=1e-10)
    assert found.status.ok
    assert straight.status.ok
    a, b = problem.split(found.w)
    assert problem.objective(found.w, problem.evaluate(found.w)) == pytest.approx(
        flat.objective(straight.w, flat.evaluate(straight.w)), abs=1e-9
    )
    np.testing.assert_allclose(problem.rows.T @ a, straight.w[:-1], atol=1e-4)
    assert np.isfinite(b)


def test_representer_theorem_with_an_explicit_map(rng: np.random.Generator) -> None:
    # (x.x' + 1)^2 has the features 1, sqrt(2) x_i, x_i^2, sqrt(2) x_i x_j: the primal over them is the same
    # fit.
    problem = posed(HalfSquared(), rng)
    X = problem.rows
    i, j = np.triu_indices(3, 1)
    phi = np.hstack([np.ones((len(X), 1)), 2**0.5 * X, X**2, 2**0.5 * X[:, i] * X[:, j]])
    K = (X @ X.T + 1.0) ** 2
    np.testing.assert_allclose(phi @ phi.T, K, rtol=1e-12, atol=1e-12)
    given = KernelProblem(
        HalfSquared(), Precomputed(), 0.05, ArrayBlocks(Design(K), problem.data.y, problem.data.weight)
    )
    flat = LinearProblem(
        HalfSquared(), L2(0.05), ArrayBlocks(Design(phi), problem.data.y, problem.data.weight), intercept=True
    )
    found, straight = er.solve(given, tol=1e-10), er.solve(flat, tol=1e-12)
    a, b = given.split(found.w)
    np.testing.assert_allclose(K @ a + b, phi @ straight.w[:-1] + straight.w[-1], atol=1e-6)


@pytest.mark.parametrize("loss", [*KINKED, *SMOOTH], ids=lambda loss: loss.name)
def test_certificate_covers_the_true_gap(loss: Loss, rng: np.random.Generator) -> None:
    problem = posed(loss, rng)
    least = er.solve(problem, tol=1e-12)
    best = problem.objective(least.w, problem.evaluate(least.w))
    for _ in range(20):
        w = least.w + rng.normal(size=least.w.shape) * 10.0 ** rng.uniform(-6, 0)
        gap = problem.objective(w, problem.evaluate(w)) - best
        for hint in (None, problem.dual_of(problem.split(w)[0]), rng.normal(size=problem.n)):
            stated = problem.certify(w, None, 0.0, hint)
            assert stated.value >= gap - least.certificate.value
    assert problem.certify(least.w, None, 0.0, least.dual).value <= 2.0 * least.certificate.value + 1e-14


def test_gradient_is_that_of_differences(rng: np.random.Generator) -> None:
    problem = posed(Logistic(), rng, n=12)
    w = rng.normal(size=13)
    grad = problem.evaluate(w).grad
    for k in range(13):
        step = np.zeros(13)
        step[k] = 1e-6
        up, down = problem.evaluate(w + step).loss, problem.evaluate(w - step).loss
        assert grad[k] == pytest.approx((up - down) / 2e-6, abs=1e-6)


@pytest.mark.parametrize("loss", [*KINKED, *SMOOTH], ids=lambda loss: loss.name)
@pytest.mark.parametrize("name", SOLVERS)
def test_certifies_or_refuses(name: str, loss: Loss, rng: np.random.Generator) -> None:
    problem = posed(loss, rng)
    if REGISTRY[name].needs <= problem.capabilities:
        assert er.solve(problem, name).status is Status.CERTIFIED
        return
    with pytest.raises(ValueError, match=rf"solver '{name}' needs .* \(loss '{loss.name}', kernel gaussian"):
        er.solve(problem, name)


def test_linear_problems_are_refused() -> None:
    flat = er.Ridge().problem(np.eye(3), [1.0, 2.0, 3.0])
    for name in SOLVERS:
        with pytest.raises(ValueError, match="rows of a kernel matrix"):
            er.solve(flat, name)


def of(name: str) -> Loss:
    """A loss that the solver takes."""
    return {"smo": Hinge(), "kernel_cg": HalfSquared()}.get(name, Logistic())


@pytest.mark.parametrize("name", SOLVERS)
def test_step_is_pure_and_start_is_not_changed(name: str, rng: np.random.Generator) -> None:
    problem, solver = posed(of(name), rng), REGISTRY[name]()
    state = solver.init(problem, None)
    before = np.array(state.w)
    first, again = solver.step(problem, state), solver.step(problem, state)
    assert np.array_equal(state.w, before)
    assert np.array_equal(first.w, again.w)
    w0 = np.full(problem.layout.shape, 0.01)
    w0.flags.writeable = False
    found = er.solve(problem, name, w0=w0)
    assert found.status is Status.CERTIFIED
    assert er.solve(problem, name, w0=found.w).n_steps <= 2
    with pytest.raises(ValueError, match="w0"):
        er.solve(problem, name, w0=np.full(problem.layout.shape, np.nan))


@pytest.mark.parametrize("name", SOLVERS)
def test_callback_interrupts(name: str, rng: np.random.Generator) -> None:
    def stop(step: int, w: Array, certificate: Certificate) -> bool:
        return True

    assert er.solve(posed(of(name), rng), name, callback=stop).status is Status.INTERRUPTED


@pytest.mark.parametrize("name", SOLVERS)
def test_same_bits_for_any_number_of_threads(name: str, rng: np.random.Generator) -> None:
    n = 1500 if name == "smo" else 300
    state = rng.bit_generator.state
    answers = []
    for threads in (1, 2, 2):
        rng.bit_generator.state = state
        with threadpool_limits(threads, user_api="openmp"):
            answers.append(er.solve(posed(of(name), rng, n=n, alpha=1e-3), name).w)
    assert np.array_equal(answers[0], answers[1])
    assert np.array_equal(answers[1], answers[2])


@pytest.mark.parametrize("rows", [2, 40, 10_000])
def test_any_cache_gives_the_same_optimum(rows: int, rng: np.random.Generator) -> None:
    # Two rows at a time, and so few that rows leave and come back.
    problem = posed(Hinge(), rng, n=600, alpha=2e-3)
    found = er.solve(problem, SMO(cache_bytes=4.0 * 608 * rows), tol=1e-8)
    assert found.status is Status.CERTIFIED
    other = er.solve(posed(Hinge(), np.random.default_rng(0), n=5, alpha=1.0), tol=1e-8)
    assert other.status is Status.CERTIFIED


def test_kernels_in_python_are_read_by_blocks(rng: np.random.Generator) -> None:
    plain = posed(Hinge(), rng)
    mixed = KernelProblem(Hinge(), 0.5 * KERNEL + 0.5 * KERNEL, plain.alpha, plain.data)
    assert mixed.kernel.loop is None
    one, other = er.solve(plain, tol=1e-9), er.solve(mixed, tol=1e-9)
    np.testing.assert_allclose(one.w, other.w, atol=1e-5)


def test_a_matrix_that_curves_down_is_named(rng: np.random.Generator) -> None:
    n = 12
    K = np.where(np.eye(n) > 0.0, 1.0, 0.0)
    K[0, 1] = K[1, 0] = 3.0  # 1 + 1 - 6 < 0
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    problem = KernelProblem(Hinge(), Precomputed(), 0.001, ArrayBlocks(Design(K), y, np.ones(n)))
    with pytest.raises(ValueError, match=r"not positive semi-definite: .* = -4 < 0 for rows \d and \d"):
        er.solve(problem)


def test_a_gap_of_a_matrix_that_is_given_says_what_it_rests_on(rng: np.random.Generator) -> None:
    plain = posed(Hinge(), rng)
    given = KernelProblem(
        Hinge(),
        Precomputed(),
        0.02,
        ArrayBlocks(Design(KERNEL.block(plain.rows)), plain.data.y, plain.data.weight),
    )
    assert "given that the kernel is positive semi-definite" in er.solve(given).certificate.claim
    assert "given that" not in er.solve(plain).certificate.claim


def test_best_constant_is_that_of_a_grid(rng: np.random.Generator) -> None:
    grid = np.linspace(-6.0, 6.0, 24_001)
    for loss in KINKED:
        y = rng.normal(size=9)
        y = np.sign(y) if loss.labels else y
        z, s = rng.normal(size=9), rng.uniform(0.1, 2.0, 9)

        def lost(b: float, loss: Loss = loss, y: Array = y, z: Array = z, s: Array = s) -> float:
            return float(s @ loss.value(y, z + b))

        assert lost(kinked_intercept(loss, y, s, z)) <= min(map(lost, grid)) + 1e-12
