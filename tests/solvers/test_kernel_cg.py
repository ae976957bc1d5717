"""Conjugate gradients over a kernel: the algebra's optimum, the format of the tiles, limits of memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.data import memory as system_memory
from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.kernels import Gaussian, Linear, Polynomial, Precomputed
from empirisk.kernels.tiles import SIDE, Tiles
from empirisk.losses import HalfSquared
from empirisk.problems import KernelProblem
from empirisk.results import Status
from empirisk.solvers import KernelCG, choose
from empirisk.solvers.pivoted_cholesky import pivoted_cholesky
from empirisk.typing import Array, IndexArray

KERNEL = Gaussian(gamma=0.3)


def posed(rng: np.random.Generator, n: int = 60, alpha: float = 0.01, **options: Any) -> KernelProblem:
    """Rows with weights of which some are 0."""
    X = rng.normal(size=(n, 3))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=n) + options.pop("far", 0.0)
    weight = rng.integers(0, 4, n).astype(float)
    kernel, intercept = options.pop("kernel", KERNEL), options.pop("intercept", True)
    return KernelProblem(HalfSquared(), kernel, alpha, ArrayBlocks(Design(X), y, weight), intercept)


@pytest.fixture
def as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows are treated as many are."""
    monkeypatch.setattr("empirisk.solvers.kernel_cg.FEW", 0)


def by_algebra(problem: KernelProblem) -> tuple[Array, float]:
    """The bordered system of the rows that have weight, in float64."""
    live = np.flatnonzero(problem.data.weight > 0.0)
    s, y = problem.data.weight[live], problem.data.y[live]
    K = np.asarray(problem.kernel.block(problem.rows), dtype=float)[np.ix_(live, live)]
    m = len(live)
    system = np.zeros((m + 1, m + 1))
    system[:m, :m] = K + problem.alpha * s.sum() * np.diag(1.0 / s)
    system[:m, m] = system[m, :m] = 1.0
    if not problem.intercept:
        system[m, :m], system[:m, m], system[m, m] = 0.0, 0.0, 1.0
    found = np.linalg.solve(system, np.append(y, 0.0))
    a = np.zeros(problem.n)
    a[live] = found[:m]
    return a, float(found[m])


@pytest.mark.parametrize("few", [0, 2000])
@pytest.mark.parametrize("far", [0.0, 1e6])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-6, 1e-2, 10.0])
def test_optimum_is_that_of_the_bordered_system(
    alpha: float,
    intercept: bool,
    far: float,
    few: int,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("empirisk.solvers.kernel_cg.FEW", few)
    problem = posed(rng, alpha=alpha, intercept=intercept, far=far)
    found = er.solve(problem, "kernel_cg", tol=1e-10)
    assert found.status.ok
    a, b = by_algebra(problem)
    K, s = KERNEL.block(problem.rows), problem.data.weight
    mine, constant = problem.split(found.w)
    error = (K @ (mine - a) + constant - b)[s > 0.0]
    # The objective is quadratic: above its optimum by the mean loss of the difference of the scores at least.
    # Rounding of the reference: that of scores of the size of the targets in a system of this condition.
    bound = 2.0 * found.certificate.value + 1e-20 * (1.0 + far) ** 2 / alpha
    assert float(s[s > 0.0] @ error**2) / s.sum() <= bound


@pytest.mark.usefixtures("as_many")
def test_the_gap_is_the_mean_square_of_the_residuals(rng: np.random.Generator) -> None:
    problem = posed(rng, n=400, alpha=1e-3)
    solver = KernelCG()
    state = solver.init(problem)
    state = solver.step(problem, state)
    a, b = problem.split(state.w)
    s = problem.data.weight
    live = s > 0.0
    theta = problem.dual_of(a)
    r = (problem.data.y - KERNEL.block(problem.rows) @ a - b - theta)[live]
    gap = problem.certify(state.w, state.evaluation, 0.0, state.hint)
    assert gap.value == pytest.approx(0.5 * float(s[live] @ r**2) / s.sum(), rel=1e-3, abs=1e-14)
    assert state.residual @ state.residual == pytest.approx(float(s[live] @ r**2), rel=1e-6)


@pytest.mark.usefixtures("as_many")
@pytest.mark.parametrize("memory", [0.0, 0.5, 100.0])
def test_no_limit_of_memory_changes_a_bit(memory: float, rng: np.random.Generator) -> None:
    problem = posed(rng, n=2 * SIDE + 77, alpha=1e-3)
    found = er.solve(problem, KernelCG(memory=memory))
    tiles = problem.facts.tiles
    assert tiles is not None
    assert tiles.bytes <= 1e6 * memory
    again = problem.with_strength(problem.alpha)
    again.facts.tiles = None
    assert np.array_equal(found.w, er.solve(again, "kernel_cg").w)


@pytest.mark.usefixtures("as_many")
@pytest.mark.parametrize(("alpha", "dtype"), [(1.0, np.float32), (1e-9, np.float64)])
def test_a_small_ridge_is_solved_in_double(alpha: float, dtype: Any, rng: np.random.Generator) -> None:
    problem = posed(rng, alpha=alpha)
    assert er.solve(problem, "kernel_cg", tol=1e-8).status.ok
    assert problem.facts.tiles is not None
    assert problem.facts.tiles.dtype == dtype


@pytest.mark.usefixtures("as_many")
def test_tiles_that_are_too_rough_are_replaced(rng: np.random.Generator) -> None:
    # Rounded to halves, the values are another matrix, from which no burst gets near the answer.
    problem = posed(rng, alpha=0.05)
    solver = KernelCG()
    state = solver.init(problem)
    tiles = state.system.tiles
    tiles.product(np.ones(problem.n))
    for at, tile in tiles._stored.items():
        tiles._stored[at] = (np.round(2.0 * tile) / 2.0 + 3.0 * np.eye(*tile.shape)).astype(np.float32)
    for _ in range(8):
        state = solver.step(problem, state)
    assert state.system.tiles.dtype == np.float64
    assert problem.certify(state.w, state.evaluation, 0.0, state.hint).within(1e-8)


def test_a_constant_target_and_a_kernel_of_zeros_are_the_null_model(rng: np.random.Generator) -> None:
    flat = posed(rng, far=2.0)
    constant = KernelProblem(
        HalfSquared(), KERNEL, 0.1, ArrayBlocks(flat.data.design, np.full(60, 2.0), flat.data.weight)
    )
    found = er.solve(constant, "kernel_cg")
    assert found.status.ok
    assert found.w == pytest.approx([*[0.0] * 60, 2.0], abs=1e-12)
    none = KernelProblem(
        HalfSquared(), Linear(), 0.1, ArrayBlocks(Design(np.zeros((60, 2))), flat.data.y, flat.data.weight)
    )
    b = np.average(flat.data.y, weights=flat.data.weight)
    found = er.solve(none, "kernel_cg")
    assert found.status.ok
    assert found.w[-1] == pytest.approx(b)


def test_a_matrix_that_curves_down_is_refused(rng: np.random.Generator) -> None:
    Q = np.linalg.qr(rng.normal(size=(30, 30)))[0]
    K = (Q * np.where(np.arange(30) == 3, -5.0, 1.0)) @ Q.T
    data = ArrayBlocks(Design(0.5 * (K + K.T)), Q[:, 3].copy(), np.ones(30))
    with pytest.raises(ValueError, match="not positive semi-definite"):
        er.solve(KernelProblem(HalfSquared(), Precomputed(), 1e-3, data), "kernel_cg")


def test_auto_takes_it_for_many_rows_or_little_memory(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert choose(posed(rng)) == "kernel_newton"
    assert choose(posed(rng, n=4500, alpha=1e-3)) == "kernel_cg"
    assert choose(posed(rng, n=4500, alpha=1e-9)) == "kernel_newton"
    monkeypatch.setattr("empirisk.solvers.kernel_cg.available_memory", lambda: 1e-6)
    assert choose(posed(rng, alpha=1e-9)) == "kernel_cg"


def test_a_factor_that_does_not_fit_is_refused(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_memory, "available_memory", lambda: 1e-6)
    with pytest.raises(MemoryError, match="the preconditioner of a kernel problem with 60 rows needs about"):
        er.solve(posed(rng), "kernel_cg")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", [KERNEL, Polynomial(2), KERNEL + Linear()], ids=lambda k: k.name)
def test_products_by_tiles(kernel: Any, dtype: Any, rng: np.random.Generator) -> None:
    n = 2 * SIDE + 31
    X, v = rng.normal(size=(n, 4)), rng.normal(size=n)
    kernel = kernel.resolved(X)
    K = np.asarray(kernel.block(X))
    size = float(np.diagonal(K).max())
    for limit in (0.0, 3e6, 1e9):
        tiles = Tiles(kernel, X, limit, dtype, size)
        for _ in range(2):  # made, then read
            error = np.abs(size * tiles.product(v) - K @ v)
            assert np.all(error <= 20.0 * np.finfo(dtype).eps * (np.abs(K) @ np.abs(v)))
        assert tiles.bytes <= limit


def test_a_factor_of_all_columns_is_the_matrix(rng: np.random.Generator) -> None:
    B = rng.normal(size=(50, 7))
    A = B @ B.T

    def columns(some: IndexArray) -> Array:
        return A[:, some]

    found = pivoted_cholesky(columns, np.diagonal(A), 50, 0.0, np.random.default_rng(1))
    np.testing.assert_allclose(found.factor @ found.factor.T, A, atol=1e-9 * float(np.trace(A)))
    few = pivoted_cholesky(columns, np.diagonal(A), 4, 0.0, np.random.default_rng(1))
    rest = A - few.factor @ few.factor.T
    assert few.factor.shape[1] == 4
    assert few.missing == pytest.approx(float(np.trace(rest)))
    assert np.linalg.eigvalsh(rest)[0] >= -1e-9 * float(np.trace(A))
    early = pivoted_cholesky(columns, np.diagonal(A), 50, 2.0 * float(np.trace(A)), np.random.default_rng(1))
    assert early.factor.shape[1] == 0


def test_leave_one_out_is_refused_and_folds_are_not(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    y = X[:, 0] ** 2
    for solver in ("kernel_cg", KernelCG()):
        with pytest.raises(ValueError, match="'kernel_cg' does without the matrix; give cv=5"):
            er.KernelRidge("cv", solver=solver).fit(X, y)
    by_folds = er.KernelRidge("cv", cv=4, alphas=4, solver="kernel_cg").fit(X, y)
    exact = er.KernelRidge("cv", cv=4, alphas=4, solver="kernel_newton").fit(X, y)
    assert by_folds.alpha_ == exact.alpha_
    assert by_folds.solution_.solver == "kernel_cg"
    assert by_folds.solution_.status is Status.CERTIFIED
    np.testing.assert_allclose(by_folds.predict(X), exact.predict(X), atol=2e-3)
    with pytest.raises(ValueError, match="solver must be one of auto"):
        er.KernelRidge(solver="cholesky").fit(X, y)
