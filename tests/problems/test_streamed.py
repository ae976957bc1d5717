"""Streamed rows give the answer of the same rows in memory, with a certificate that is true."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.data import ArrayBlocks, Block, BlockList, Design
from empirisk.losses import REGISTRY as LOSSES
from empirisk.losses import Loss
from empirisk.penalties import L1, L2, ElasticNetPenalty, GroupLasso, L2Ball, Penalty, Zero
from empirisk.problems import LinearProblem, StreamedProblem
from empirisk.results import Kind, Status
from empirisk.solvers import choose

N, P = 500, 4
NAMES = ("half_squared", "logistic", "poisson", "gamma", "probit", "squared_hinge")


def rows(name: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns of unlike scales and means, targets of the loss, and weights with zeros."""
    X = rng.normal(size=(N, P)) * [1.0, 0.1, 5.0, 1.0] + [0.0, 3.0, -2.0, 1.0]
    z = 0.3 * (X - X.mean(axis=0)) @ [1.0, 2.0, 0.1, -1.0]
    if LOSSES[name]().labels:
        y = np.where(z + rng.logistic(size=N) > 0.0, 1.0, -1.0)
    elif name == "poisson":
        y = rng.poisson(np.exp(z)).astype(float)
    elif name == "gamma":
        y = np.exp(z) * rng.gamma(2.0, size=N) + 1e-3
    else:
        y = z + rng.normal(size=N) + 3.0
    return X, y, rng.choice([0.0, 0.5, 1.0, 2.0], size=N)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.1, 0.0])
@pytest.mark.parametrize("name", NAMES)
def test_the_answer_is_that_of_the_rows_in_memory(
    name: str, alpha: float, intercept: bool, rng: np.random.Generator
) -> None:
    X, y, s = rows(name, rng)
    loss: Loss = LOSSES[name]()
    penalty = L2(alpha) if alpha else Zero()
    memory = LinearProblem(loss, penalty, ArrayBlocks(Design(X), y, s), intercept)
    stream = StreamedProblem(loss, penalty, BlockList.cut(X, y, s, rows=64), intercept)
    found, known = er.solve(stream, tol=1e-10), er.solve(memory, tol=1e-12)
    assert found.status is Status.CERTIFIED, found.sentence
    assert found.certificate.kind is known.certificate.kind
    # The certificate is true: judged by the other problem's value, at the optimum that it has certified.
    excess = memory.value(found.w) - memory.value(known.w)
    if alpha:
        assert found.certificate.kind is Kind.DUALITY_GAP
        assert excess <= found.certificate.value
        reach = found.certificate.distance() + known.certificate.distance()
        assert np.linalg.norm(found.w[:P] - known.w[:P]) <= reach
    else:  # a gradient of 1e-10 of its size, at a curvature that is no worse than 1e-3 here
        np.testing.assert_allclose(found.w, known.w, rtol=1e-6, atol=1e-8)
    # Far from the optimum too: the bound is at least what is to be gained.
    start = stream.start()
    if alpha:
        assert memory.value(start) - memory.value(known.w) <= stream.certify(start).value
    assert stream.scale() == pytest.approx(memory.scale(), rel=1e-12)


BY_PASSES = [
    ("lbfgs", L2(0.1)),
    ("lbfgs", Zero()),
    ("gradient_descent", L2(1.0)),
    ("fista", L1(0.05)),
    ("fista", ElasticNetPenalty(0.1, 0.5)),
    ("fista", GroupLasso(0.1, [[0, 1], [2, 3]])),
    ("projected_gradient", L2Ball(0.4)),
]


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("solver", "penalty"), BY_PASSES, ids=lambda v: getattr(v, "name", v))
@pytest.mark.parametrize("name", ["half_squared", "logistic", "poisson"])
def test_solvers_that_need_gradients_alone(
    name: str, solver: str, penalty: Penalty, intercept: bool, rng: np.random.Generator
) -> None:
    X, y, s = rows(name, rng)
    X = X - X.mean(axis=0)  # gradient descent has no other way to forget where the columns are
    loss: Loss = LOSSES[name]()
    memory = LinearProblem(loss, penalty, ArrayBlocks(Design(X), y, s), intercept)
    blocks = BlockList.cut(X, y, s, rows=64)
    stream = StreamedProblem(loss, penalty, blocks, intercept)
    found, known = er.solve(stream, solver, tol=1e-8), er.solve(memory, tol=1e-11)
    assert found.status is Status.CERTIFIED, found.sentence
    assert found.certificate.kind is known.certificate.kind
    assert known.certificate.kind is (Kind.KKT_RESIDUAL if penalty.name == "zero" else Kind.DUALITY_GAP)
    if known.certificate.kind is Kind.DUALITY_GAP:
        # Bounds of what is to be gained are true, at the optimum and far from it.
        least = memory.value(known.w) - known.certificate.value
        for w in (stream.start(), 0.5 * found.w, found.w):
            claim = stream.certify(w).value
            assert memory.value(w) - least <= claim + known.certificate.value
            if not intercept:  # where neither moves its dual point, both have the same
                assert claim == pytest.approx(memory.certify(w).value, rel=1e-9, abs=1e-13)
    else:  # a gradient of 1e-8 of its size, at a curvature that is no worse than 1e-3 here
        np.testing.assert_allclose(found.w, known.w, rtol=1e-4, atol=1e-5)
    reach, rest = found.certificate.distance(), known.certificate.distance()
    if reach is not None and rest is not None:
        assert np.linalg.norm(found.w[:P] - known.w[:P]) <= reach + rest
    again = er.solve(StreamedProblem(loss, penalty, blocks, intercept), solver, tol=1e-8)
    assert again.w.tobytes() == found.w.tobytes()
    assert all(np.size(held) <= P + 1 for held in vars(found.state.evaluation).values())


def test_auto_asks_what_the_passes_offer(rng: np.random.Generator) -> None:
    X, y, s = rows("logistic", rng)
    data = BlockList.cut(X, y, s, rows=64)
    chosen = {
        penalty.name: er.solve(StreamedProblem(LOSSES["logistic"](), penalty, data), tol=1e-6).solver
        for penalty in (Zero(), L2(0.1), L1(0.01), L2Ball(0.4))
    }
    assert chosen == {
        "zero": "pass_newton", "l2": "pass_newton", "l1": "fista", "l2_ball": "projected_gradient"
    }  # fmt: skip
    wide = BlockList.cut(sp.csr_array((3, 9_000)), np.array([1.0, -1.0, 1.0]), rows=2)
    assert choose(StreamedProblem(LOSSES["logistic"](), L2(0.1), wide)) == "lbfgs"


def test_constants_are_those_of_the_rows_in_memory(rng: np.random.Generator) -> None:
    X, y, s = rows("logistic", rng)
    loss = LOSSES["logistic"]()
    memory = LinearProblem(loss, L2(0.1), ArrayBlocks(Design(X), y, s))
    stream = StreamedProblem(loss, L2(0.1), BlockList.cut(X, y, s, rows=64))
    assert stream.smoothness.value == pytest.approx(memory.smoothness.value, rel=1e-12)
    v = rng.normal(size=P)
    np.testing.assert_allclose(stream.gram_product(v), memory.gram_product(v), rtol=1e-12)
    # Many columns: the trace, which is on the safe side of the largest eigenvalue.
    wide = rng.normal(size=(5, 1_200))
    stream = StreamedProblem(loss, L2(0.1), BlockList.cut(wide, np.array([1.0, -1.0] * 2 + [1.0]), rows=2))
    top = np.linalg.eigvalsh(np.hstack([wide, np.ones((5, 1))]) @ np.hstack([wide, np.ones((5, 1))]).T)[-1]
    assert stream.smoothness.value >= 0.25 * top / 5 + 0.1
    assert stream.smoothness.proved


def test_sums_are_those_of_the_rows_in_memory(rng: np.random.Generator) -> None:
    X, y, s = rows("poisson", rng)
    loss = LOSSES["poisson"]()
    memory = LinearProblem(loss, L2(0.1), ArrayBlocks(Design(X), y, s))
    stream = StreamedProblem(loss, L2(0.1), BlockList.cut(X, y, s, rows=37))
    w = 0.1 * rng.normal(size=P + 1)
    here, there = memory.evaluate(w), stream.evaluate(w, ("hessian",))
    assert there.loss == pytest.approx(here.loss, rel=1e-13)
    np.testing.assert_allclose(there.grad, here.grad, rtol=1e-11, atol=1e-12)
    step = 1e-5 * np.eye(P + 1)
    second = [(memory.evaluate(w + d).grad - memory.evaluate(w - d).grad) / 2e-5 for d in step]
    np.testing.assert_allclose(there.hessian, second, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(stream.facts.moments[0], memory.moments[0], rtol=1e-12)
    np.testing.assert_allclose(stream.facts.moments[1], memory.moments[1], rtol=1e-12)
    np.testing.assert_allclose(stream.facts.null, memory.null, rtol=1e-12)
    for fact in ("null_loss", "null_excess", "null_slope", "null_slope_terms", "target_square"):
        assert getattr(stream.facts, fact) == pytest.approx(getattr(memory.facts, fact), rel=1e-12), fact


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_memory_map_gives_the_same_bits_each_time(
    dtype: str, rng: np.random.Generator, tmp_path: Path
) -> None:
    X, y, _ = rows("logistic", rng)
    np.save(tmp_path / "X.npy", X.astype(dtype))
    np.save(tmp_path / "y.npy", y)
    mapped = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("X", "y")]
    loss = LOSSES["logistic"]()

    def fit(rows: int) -> np.ndarray:
        problem = StreamedProblem(loss, L2(0.01), BlockList.cut(*mapped, rows=rows))
        return er.solve(problem, tol=1e-9).require().w

    first = fit(64)
    assert first.tobytes() == fit(64).tobytes()
    np.testing.assert_allclose(first, fit(N), rtol=1e-6)
    block = next(iter(BlockList.cut(*mapped, rows=64)))
    assert np.shares_memory(block.design.X, mapped[0])  # nothing was copied


def test_no_array_has_a_number_for_each_row(rng: np.random.Generator) -> None:
    X, y, s = rows("logistic", rng)

    class Counted(BlockList):
        """Rows that look at everything that is summed over them."""

        def map_sum(self, f):  # type: ignore[no-untyped-def]
            total = super().map_sum(f)
            for part in total if isinstance(total, tuple) else (total,):
                assert np.size(part) <= (P + 1) ** 2
            return total

    problem = StreamedProblem(LOSSES["logistic"](), L2(0.1), Counted(BlockList.cut(X, y, s, rows=64).blocks))
    solution = er.solve(problem, tol=1e-9)
    assert solution.status is Status.CERTIFIED
    assert solution.dual is None
    for held in vars(solution.state.evaluation).values():
        assert np.size(held) <= (P + 1) ** 2


def test_sparse_rows_and_strengths(rng: np.random.Generator) -> None:
    X, y, s = rows("poisson", rng)
    X[rng.random(X.shape) < 0.5] = 0.0
    loss = LOSSES["poisson"]()
    dense = StreamedProblem(loss, L2(0.1), BlockList.cut(X, y, s, rows=64))
    sparse = StreamedProblem(loss, L2(0.1), BlockList.cut(sp.csr_array(X), y, s, rows=64))
    np.testing.assert_allclose(er.solve(sparse, tol=1e-10).w, er.solve(dense, tol=1e-10).w, rtol=1e-6)
    other = dense.with_strength(1.0)
    assert other.penalty.l2 == 1.0
    assert other.facts is dense.facts
    block, factor = sparse.data.draw(np.random.default_rng(0), 20)
    assert block.design.shape == (20, P)
    assert factor.sum() == N


def test_what_cannot_be_streamed_is_refused(rng: np.random.Generator) -> None:
    X, y, s = rows("poisson", rng)
    data = BlockList.cut(X, y, s, rows=200)
    with pytest.raises(ValueError, match="loss 'hinge' cannot be streamed: it must be convex"):
        StreamedProblem(LOSSES["hinge"](), L2(0.1), data)
    y[300] = -1.0
    problem = StreamedProblem(LOSSES["poisson"](), L2(0.1), data)
    with pytest.raises(ValueError, match="in block 1, which starts at row 200: y holds -1 in row 100"):
        er.solve(problem)
    with pytest.raises(ValueError, match="solver 'newton' needs a design matrix in memory"):
        er.solve(problem, "newton")
    first = Block(Design(X[:5]), y[:5], s[:5], 0)
    with pytest.raises(ValueError, match="the block that starts at row 9 must start at row 5"):
        BlockList((first, Block(Design(X[5:9]), y[5:9], s[5:9], 9)))
    with pytest.raises(ValueError, match="rows must be at least 1"):
        BlockList.cut(X, y, rows=0)
    with pytest.raises(ValueError, match="X has 500 rows, y 3"):
        BlockList.cut(X, y[:3])
