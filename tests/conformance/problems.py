"""Small linear problems of every kind, and what every solver must do with each of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.data import ArrayBlocks, BlockList, Design
from empirisk.losses import REGISTRY as LOSSES
from empirisk.penalties import (
    AffineSet,
    Box,
    ElasticNetPenalty,
    GroupLasso,
    HalfSpace,
    Intersection,
    L1Ball,
    L2Ball,
    NonNegative,
    Simplex,
    SortedL1,
)
from empirisk.problems import LinearProblem, StreamedProblem
from empirisk.results import Solution, Status
from empirisk.solvers import solve
from tests.oracles.kinks import KINKED
from tests.oracles.optimum import ONE_SCORE, Case, Optimum, optimum
from tests.oracles.shapes import optimum_near

STORAGE = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
    "csr": sp.csr_array,
    "csc": sp.csc_array,
}


@dataclass(frozen=True)
class Row:
    """A row of the table: a name and what to build."""

    loss: str
    l1: float
    l2: float
    intercept: bool = True
    storage: str = "C"
    weights: bool = False
    dtype: str = "float64"
    shape: str = ""  # of SHAPES, in place of the elastic net

    def __str__(self) -> str:
        strength = [self.shape] if self.shape else [f"l1={self.l1:g}", f"l2={self.l2:g}"]
        words = [self.loss, *strength, self.storage]
        words += ["intercept"] * self.intercept + ["weights"] * self.weights
        return "-".join([*words, self.dtype])


# Penalties that do not separate, and sets; optima of the rows below meet some borders and not others.
SHAPES: dict[str, Any] = {
    "group_lasso": GroupLasso(0.1, [[0, 1], [2]]),
    "group_lasso-rows": GroupLasso(0.02, [[0], [1]]),  # a row of a coefficient matrix is one coefficient
    "group_lasso-free": GroupLasso(0.05, [[1, 2]], [1.0]),  # the first column is in no group
    "sorted_l1": SortedL1(0.1, [1.0, 0.6, 0.2]),
    "l2_ball": L2Ball(0.3),
    "l2_ball-wide": L2Ball(50.0),
    "l1_ball": L1Ball(0.25),
    "simplex": Simplex(),
    "box": Box([-0.1, -0.1, -0.3], [0.1, 0.2, 0.3]),
    "half_space": HalfSpace([1.0, -1.0, 2.0], -0.4),
    "affine_set": AffineSet([[1.0, 1.0, 1.0]], [0.5]),
    "non_negative": NonNegative(),
    "intersection": Intersection([Box(-1.0, 0.5), HalfSpace([1.0, 1.0, 1.0], 0.2)]),
}


def _shaped() -> list[Row]:
    """Rows for the penalties of SHAPES."""
    scalar = [shape for shape in SHAPES if shape != "group_lasso-rows"]
    rows = [Row("half_squared", 0.0, 0.0, shape=shape) for shape in scalar]
    rows += [
        Row("logistic", 0.0, 0.0, storage="csr", weights=True, intercept=n % 2 == 0, shape=shape)
        for n, shape in enumerate(scalar)
    ]
    rows += [Row("softmax", 0.0, 0.0, shape=shape) for shape in ("group_lasso-rows", "l2_ball")]
    rows += [
        Row("poisson", 0.0, 0.0, storage="F", shape=shape)  # its curvature has no bound
        for shape in ("group_lasso", "sorted_l1", "l1_ball", "simplex", "half_space")
    ]
    rows += [
        Row("huber", 0.0, 0.0, storage="csc", shape=shape) for shape in ("group_lasso", "l2_ball", "box")
    ]
    return [
        *rows,
        *(Row("half_squared", 0.0, 0.0, dtype="float32", shape=s) for s in ("group_lasso", "l2_ball")),
    ]


def _table() -> list[Row]:
    rows = []
    for loss in ("half_squared", "logistic", "softmax"):
        rows += [
            Row(loss, 0.0, 0.1),
            Row(loss, 0.0, 0.1, storage="F", weights=True),
            Row(loss, 0.0, 1e-3, intercept=False, storage="strided"),
            Row(loss, 0.0, 0.1, storage="csr"),
            Row(loss, 0.0, 0.1, storage="csc", weights=True, intercept=False),
            Row(loss, 0.02, 0.02),
            Row(loss, 0.02, 0.02, storage="F", weights=True),
            Row(loss, 0.02, 0.02, storage="csc", intercept=False),
            Row(loss, 0.02, 0.02, storage="csr"),
            Row(loss, 0.0, 0.1, dtype="float32"),
        ]
    for loss in ("half_squared", "logistic"):  # softmax has flat directions here: no single minimiser
        rows += [
            Row(loss, 0.0, 0.0),
            Row(loss, 0.0, 0.0, storage="csr", weights=True),
            Row(loss, 0.05, 0.0, weights=True),
            Row(loss, 0.05, 0.0, storage="csc"),
        ]
    for loss in ONE_SCORE:
        rows += [
            Row(loss, 0.0, 0.1, weights=True),
            Row(loss, 0.0, 0.01, storage="csr", intercept=False),
        ]
        # With an L1 part no solver takes losses that are not convex.  In float32 this one's steep rows leave
        # gradients of a few 1e-6 of their size, more than the tolerance of the table.
        if loss != "inverse_gaussian":
            rows += [
                Row(loss, 0.0, 0.1, dtype="float32"),
                Row(loss, 0.0, 0.0, storage="F"),
                Row(loss, 0.02, 0.02, storage="csc", weights=True),
                Row(loss, 0.05, 0.0),
            ]
    for loss in KINKED:
        hinge = loss == "hinge"  # its intercept is an interval when the weights are equal
        rows += [
            Row(loss, 0.0, 0.1, weights=True),
            Row(loss, 0.0, 0.01, storage="csr", intercept=False),
            Row(loss, 0.0, 0.1, weights=hinge, dtype="float32"),
            Row(loss, 0.02, 0.02, storage="csc", weights=True),
            Row(loss, 0.05, 0.0, weights=hinge),
        ]
        if loss != "perceptron":  # 0 in a whole cone without a penalty
            rows += [Row(loss, 0.0, 0.0, storage="F", weights=hinge)]
    rows += [Row(loss, 0.0, 0.1) for loss in UNSOLVED]
    return rows + _shaped()


# Losses that every solver refuses by name, for want of slopes of any kind.
UNSOLVED = tuple(name for name in LOSSES if not LOSSES[name]().offers)

TABLE = _table()

# The same rows read in blocks of five, for the losses that can be streamed, and penalties of every kind:
# without one, smooth, with kinks, and sets that are bounded or not.
STREAMED = [
    Row("half_squared", 0.0, 0.1, storage="blocks"),
    Row("half_squared", 0.0, 0.0, storage="blocks", weights=True),
    Row("logistic", 0.0, 0.1, storage="blocks", weights=True),
    Row("logistic", 0.0, 1e-3, intercept=False, storage="blocks"),
    Row("poisson", 0.0, 0.1, storage="blocks"),
    Row("half_squared", 0.05, 0.0, storage="blocks", weights=True),
    Row("logistic", 0.05, 0.0, intercept=False, storage="blocks"),
    Row("logistic", 0.02, 0.02, storage="blocks", weights=True),
    *(
        Row(loss, 0.0, 0.0, storage="blocks", shape=shape)
        for loss in ("half_squared", "logistic")
        for shape in ("group_lasso", "sorted_l1", "l2_ball", "simplex", "non_negative", "half_space")
    ),
    Row("poisson", 0.0, 0.0, storage="blocks", shape="l1_ball"),
]


def numbers(row: Row) -> Case:
    """Thirteen rows in float64; the columns have unlike scales, means and a correlation."""
    rng = np.random.default_rng([13, len(row.loss)])
    k = 3 if row.loss == "softmax" else 1
    p = 2 if row.loss == "softmax" else 3
    X = rng.normal(size=(13, p)) * [5.0, 0.3, 1.0][:p] + [2.0, -1.0, 0.0][:p]
    X[:, 1] += 0.05 * X[:, 0]
    X[rng.random(X.shape) < 0.2] = 0.0  # something for the sparse formats to leave out
    z = X @ rng.normal(size=(p, k)) / [5.0, 1.0, 1.0][:k] + rng.normal(size=(13, k))
    if row.loss == "half_squared":
        y = z[:, 0] + 3.0
    elif LOSSES[row.loss]().labels:
        y = np.where(z[:, 0] > np.median(z[:, 0]), 1.0, -1.0)
        y[:4] *= -1.0  # not separable
        if row.loss not in ("logistic", "hinge"):
            # The same rows with either label: whatever the seed, nothing separates them
            X[6:12], y[6:12] = X[:6], -y[:6]
    elif row.loss == "softmax":
        y = rng.integers(0, 3, size=13).astype(float)
    else:
        z = z / np.abs(z).max()
        y = z[:, 0] + rng.standard_t(2, size=13)  # outliers for the losses that bound their pull
        if "zeros" in LOSSES[row.loss]().escape:
            y = np.round(np.exp(1.5 * z[:, 0] + rng.normal(size=13)))
        elif math.isfinite(LOSSES[row.loss]().y_domain.low):
            y = np.exp(z[:, 0] + 0.3 * rng.normal(size=13))
    s = np.array([0.0, 2.0, 1.0, 0.5, *np.ones(9)]) if row.weights else np.ones(13)
    X = X.astype(row.dtype).astype(float)  # the oracle sees the rounded numbers
    return Case(row.loss, X, y, s, row.l1, row.l2, row.intercept, k)


def in_memory(row: Row) -> LinearProblem:
    """Return the problem of a row with its design in memory: what solutions are judged by."""
    return build(replace(row, storage="C") if row.storage == "blocks" else row)


def build(row: Row) -> Any:
    """Return the library's problem for a row of the table."""
    case = numbers(row)
    alpha = row.l1 + row.l2
    penalty = ElasticNetPenalty(alpha, row.l1 / alpha if alpha else 0.0)
    if row.l1 == 0.0:
        from empirisk.penalties import L2, Zero

        penalty = L2(row.l2) if row.l2 else Zero()
    if row.shape:
        penalty = SHAPES[row.shape]
    if row.storage == "blocks":
        blocks = BlockList.cut(case.X, case.y, case.s, rows=5)
        return StreamedProblem(LOSSES[row.loss](), penalty, blocks, row.intercept)
    X: Any = STORAGE[row.storage](case.X.astype(row.dtype))
    y = case.y.astype(np.intp) if row.loss == "softmax" else case.y
    data = ArrayBlocks(Design(X), y, case.s)
    n_outputs = 3 if row.loss == "softmax" else 0
    return LinearProblem(LOSSES[row.loss](), penalty, data, row.intercept, n_outputs=n_outputs)


@cache
def truth(row: Row) -> Optimum:
    """Return the optimum of a row of the table in high precision."""
    if row.shape:
        return optimum_near(numbers(row), SHAPES[row.shape], solve(build(row), "fista", tol=1e-14).w)
    return optimum(numbers(row))


# Solvers whose steps come near the optimum and not to it: their certificates must be true, however large.
INEXACT = frozenset({"sgd", "subgradient"})


def check_honest(problem: LinearProblem, solution: Solution, best: Optimum) -> None:
    """Ended as it was told to, and the certificate is true: against the optimum in high precision."""
    assert solution.status in {Status.CERTIFIED, Status.COMPLETED}, solution.sentence
    excess = problem.value(solution.w) - best.value
    rounding = 1e-14 * max(1.0, abs(best.value)) if problem.design.dtype == np.float64 else 1e-6
    assert excess >= -rounding
    # Inside a solve the intercept may be repaired otherwise than in plain NumPy: two bounds, both true.
    for certificate in (solution.certificate, problem.certify(solution.w, theta=solution.dual)):
        bound = certificate.suboptimality()
        if bound is not None:
            assert excess <= bound + certificate.floor + rounding
    null = problem.value(problem.null) - best.value
    # Subgradients promise less; the perceptron has its minimum at 0, where it starts.
    if null > rounding and solution.solver == "sgd":
        assert excess <= 0.2 * null + 0.02 * abs(best.value) + rounding, "no progress worth the name"


def check_solver(solver: Any, row: Row) -> None:
    """A solver certifies the optimum, or refuses the problem by name before its first step."""
    problem = build(row)
    missing = solver.needs - problem.capabilities
    if missing:
        with pytest.raises(ValueError, match=f"solver {solver.name!r} needs ") as caught:
            solve(problem, solver)
        assert all(capability.value in str(caught.value) for capability in missing)
        return
    if solver.name in INEXACT:
        # One look, at the end: the certificate of a random walk falls and rises.
        run = {"n_epochs": 1000} if solver.name == "sgd" else {"n_steps": 1000}
        solution = solve(problem, replace(solver, **run), check_every=1000)
        check_honest(problem, solution, truth(row))
        return
    # Products in float32 leave a gradient error of about 1e-7 of its size.
    tol = 1e-10 if row.dtype == "float64" else 1e-6
    solution = solve(problem, solver, tol=tol, max_steps=20_000)
    check_solution(in_memory(row), solution, truth(row), tol)


def check_solution(problem: LinearProblem, solution: Solution, best: Optimum, tol: float) -> None:
    """Certified, and the certificate is true: against the optimum in high precision."""
    # On a curved set in float32 Frank-Wolfe's many points end at the rounding floor, within twice tol.
    floor = solution.solver == "frank_wolfe" and problem.design.dtype == np.float32
    wanted = {Status.CERTIFIED, Status.FLOOR} if floor else {Status.CERTIFIED}
    assert solution.status in wanted, solution.sentence
    # What is reported may rest on the better dual point that is looked for before a solver is called stalled.
    certificate = problem.sharpened(solution.w, problem.certify(solution.w, theta=solution.dual))
    assert certificate.within(2.0 * tol), (
        "the certificate of the returned point is not the one that was reported"
    )
    excess = problem.value(solution.w) - best.value
    rounding = 1e-14 * max(1.0, abs(best.value)) if problem.design.dtype == np.float64 else 1e-6
    assert excess >= -rounding
    bound = solution.certificate.suboptimality()
    if bound is None:  # no finite gap without a penalty: the optimum itself tells
        assert excess <= 1e-12 * max(1.0, abs(best.value))
        return
    assert excess <= bound + solution.certificate.floor + rounding
    reach = solution.certificate.distance()
    assert reach is not None or problem.penalty.strong_convexity == 0.0
    if reach is not None:
        p = problem.data.n_cols
        distance = float(np.linalg.norm(solution.w[:p] - best.w[:p]))
        assert distance <= reach + math.sqrt(rounding)
